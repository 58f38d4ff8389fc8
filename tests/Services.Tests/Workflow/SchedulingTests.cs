using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class SchedulingTests
{
    [Fact]
    public async Task A_delivery_is_recorded_in_three_calls_and_its_message_completed()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal(
            ["PUT /api/packages/package-order-1", "PUT /api/dronedeliveries/order-1", "PUT /api/deliveries/order-1"],
            workflow.Backends.Calls.Select(call => $"{call.Method} {call.Path}"));
    }

    [Fact]
    public async Task What_the_client_sent_is_what_Delivery_gets()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        var request = SampleRequests.Delivery("order-1");

        await workflow.Queue.SendAsync(QueueMessages.Delivery(request));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        var drone = workflow.Backends.Drones["order-1"];
        Assert.Equal(
            new DeliveryUpsert
            {
                OwnerId = request.OwnerId,
                Pickup = request.PickupLocation,
                Dropoff = request.DropOffLocation,
                PickupTime = request.PickupTime,
                Deadline = request.Deadline,
                Expedited = request.Expedited,
                ConfirmationRequired = request.ConfirmationRequired,
                Instructions = request.Instructions,
                PackageId = request.PackageInfo.PackageId,
                DroneId = drone.DroneId,
                FlightPlan = drone.FlightPlan,
            },
            workflow.Backends.Deliveries["order-1"] with { Fingerprint = null });
        Assert.Equal(22, workflow.Backends.Deliveries["order-1"].Fingerprint?.Length);
        Assert.Equal((PackageSize.Medium, 2.5, true), (drone.PackageSize, drone.PackageWeight, drone.Expedited));
    }

    [Fact]
    public async Task A_failure_that_passes_is_repeated_within_one_delivery_of_the_message()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Resilience:RetryDelays"] = null, ["Resilience:RetryDelays:0"] = "00:00:00" });
        var failures = 1;
        workflow.Backends.Interfere = call => Task.FromResult<int?>(
            call.Path == "/api/dronedeliveries/order-1" && Interlocked.Decrement(ref failures) >= 0 ? 503 : null);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal(1, workflow.Queue.Counts.Outgoing);
        Assert.Equal(4, workflow.Backends.Calls.Count);
    }
}
