using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class SchedulingTests
{
    [Fact]
    public async Task A_delivery_is_recorded_in_three_calls_and_a_failure_that_passes_is_repeated_within_one_delivery_of_its_message()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Resilience:RetryDelays"] = null, ["Resilience:RetryDelays:0"] = "00:00:00" });
        var failures = 1;
        workflow.Backends.Answer(call =>
            call.Path == "/api/dronedeliveries/order-1" && Interlocked.Decrement(ref failures) >= 0 ? 503 : null);
        var message = QueueMessages.Delivery(SampleRequests.Delivery("order-1"));
        message.ApplicationProperties[QueueMessage.AttemptProperty] = 2L; // not every producer writes an int

        await workflow.Queue.SendAsync(message);

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal(1, workflow.Queue.Counts.Outgoing);
        const string drone = "PUT /api/dronedeliveries/order-1";
        Assert.Equal(
            ["PUT /api/packages/package-order-1", drone, drone, "PUT /api/deliveries/order-1"],
            workflow.Backends.Calls.Select(call => $"{call.Method} {call.Path}"));
        Assert.Equal(
            (22, 2), (workflow.Backends.Deliveries["order-1"].Fingerprint?.Length, workflow.Backends.Deliveries["order-1"].Attempt));
    }
}
