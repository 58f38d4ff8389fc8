using DroneDelivery.LabAgent;

namespace DroneDelivery.Services.Tests.Workflow;

/// <summary>A message pays for its own work, before its calls.</summary>
public sealed class CpuGateTests
{
    [Fact]
    public async Task A_message_calls_nobody_before_its_hold_is_over()
    {
        await using var lab = new FakeLab();
        await using var workflow = await StartAsync(lab.Settings("workflow-1", 60));
        Assert.Equal((1, 60_000, "workflow-1"), lab.Greeting);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => lab.Asked == 1);
        Assert.Empty(workflow.Backends.Calls);
        lab.EndOne();

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal((1, 3), (lab.Asked, workflow.Backends.Calls.Count));
    }

    [Fact]
    public async Task When_the_lab_goes_messages_that_wait_are_not_worked_on()
    {
        await using var lab = new FakeLab();
        await using var workflow = await StartAsync(lab.Settings("workflow-0", 60));
        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => lab.Asked == 1);

        await lab.EndAsync();

        await Eventually.TrueAsync(() => workflow.Host.Logs.Lines.Any(line => line.StartsWith("Critical", StringComparison.Ordinal)));
        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Locked: 0, Completed: 0 });
        Assert.Empty(workflow.Backends.Calls);
    }

    private static Task<WorkflowUnderTest> StartAsync(Dictionary<string, string?> settings) =>
        WorkflowUnderTest.StartAsync(settings, add: services => services.AddLab());
}
