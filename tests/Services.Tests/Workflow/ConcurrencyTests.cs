using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class ConcurrencyTests
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(1, 0, 1)]
    [InlineData(3, 3, 3)]
    [InlineData(3, 25, 25)]
    [InlineData(7, 0, 7)]
    public async Task Concurrency_and_prefetch_limit_delivered_messages(int calls, int prefetch, int delivered)
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(Settings(calls, prefetch));
        var gate = workflow.Backends.Hold();

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(60));
        // All handlers wait, and without credit the broker delivers no more messages.
        await Eventually.TrueAsync(() =>
            workflow.Backends.Running == calls
            && workflow.Queue.Counts.Locked == delivered
            && workflow.Queue is { Receivers: 1, Credit: 0 }
        );
        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));
        Assert.Equal(delivered, workflow.Queue.Counts.Outgoing);

        gate.SetResult();
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 61);
        Assert.Equal(calls, workflow.Backends.MostRunning);
    }

    [Fact]
    public async Task Lock_is_renewed_while_the_handler_runs()
    {
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var workflow = await WorkflowUnderTest.StartAsync(
            Settings(1, 0).And("Workflow:MaxAutoLockRenewalDuration", "00:05:00"),
            queue => queue with { LockDuration = TimeSpan.FromSeconds(6) },
            brokerTime
        );
        var gate = workflow.Backends.Hold();

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));
        await Eventually.TrueAsync(() => workflow.Backends.Running == 1);
        // The broker's clock advances only while the handler runs, so a stalled machine does not expire the lock.
        for (var passed = TimeSpan.Zero; passed < TimeSpan.FromSeconds(8); passed += Step)
        {
            await Task.Delay(Step, Cancelled);
            brokerTime.Advance(Step);
        }
        gate.SetResult();

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal((0, 1), (workflow.Queue.Counts.ExpiredLocks, workflow.Queue.Counts.Outgoing));
    }

    private static Dictionary<string, string?> Settings(int calls, int prefetch) =>
        new()
        {
            ["Workflow:MaxConcurrentCalls"] = $"{calls}",
            ["Workflow:PrefetchCount"] = $"{prefetch}",
            // Keeps calls that the test holds from timing out.
            ["Resilience:AttemptTimeout"] = "00:05:00",
        };
}
