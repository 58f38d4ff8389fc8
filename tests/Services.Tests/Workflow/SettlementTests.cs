using System.Diagnostics.Metrics;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class SettlementTests
{
    // Apart from the broker's, so that its timers are Workflow's only.
    private readonly ManualTimeProvider _time;
    private readonly ManualTimeProvider _brokerTime;

    public SettlementTests()
    {
        _time = WorkflowUnderTest.CreateTime();
        _brokerTime = new(_time.GetUtcNow());
    }

    [Fact]
    public async Task AbandonDelay_passes_before_the_message_goes_back_and_doubles_each_time()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:AbandonDelay"] = "00:00:00.400" },
            queue => queue with { MaxDeliveryCount = 3 },
            _brokerTime,
            _time
        );
        workflow.Backends.Answer(_ => 503);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        for (var abandoned = 0; abandoned < 3; abandoned++)
            await AbandonAfterAsync(workflow, TimeSpan.FromMilliseconds(400 << abandoned));
        await workflow.Queue.TakeDeadLetterAsync();
    }

    [Fact]
    public async Task AbandonDelay_ends_before_the_lock_does()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:AbandonDelay"] = "00:05:00", ["Workflow:MaxAutoLockRenewalDuration"] = "00:00:00" },
            queue => queue with { LockDuration = TimeSpan.FromSeconds(6), MaxDeliveryCount = 2 },
            _brokerTime,
            _time
        );
        workflow.Backends.Answer(_ => 503);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        for (var abandoned = 0; abandoned < 2; abandoned++)
            await AbandonAfterAsync(workflow, TimeSpan.FromSeconds(3));
        await workflow.Queue.TakeDeadLetterAsync();
        Assert.Equal((2, 0), (workflow.Queue.Counts.Abandoned, workflow.Queue.Counts.ExpiredLocks));
    }

    [Theory]
    [InlineData("Abandon", 1, "complete")]
    [InlineData("DeadLetter", 2, "complete,dead_letter")]
    public async Task A_Complete_that_comes_too_late_is_counted_and_only_the_original_policy_tries_to_dead_letter_then(
        string policy,
        int lockLost,
        string failedSettlements
    )
    {
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new()
            {
                ["Workflow:FailurePolicy"] = policy,
                ["Workflow:MaxAutoLockRenewalDuration"] = "00:00:00",
                ["Workflow:MaxConcurrentCalls"] = "1",
                ["Workflow:PrefetchCount"] = "0",
            },
            queue => queue with { LockDuration = TimeSpan.FromSeconds(30) },
            brokerTime
        );
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<IMeterFactory>());
        var gate = workflow.Backends.Hold();

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => workflow.Backends.Running == 1);
        brokerTime.Advance(TimeSpan.FromSeconds(30));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.ExpiredLocks == 1);
        gate.SetResult();

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal(
            (lockLost, 0, 2),
            (workflow.Queue.Counts.LockLost, workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Outgoing)
        );
        Assert.Equal(
            failedSettlements
                .Split(',')
                .Select(settlement => $"drone_delivery.settlement={settlement} error.type=MessageLockLost"),
            metrics.Of("drone_delivery.settlements.failed").Select(tags => tags.Split(" messaging.destination")[0])
        );
        Assert.Equal(lockLost, workflow.Host.Logs.With("of message order-1 failed").Count());
    }

    /// <summary>Waits until the message is held before its abandon, and ends the delay: not a moment earlier is it abandoned.</summary>
    private async Task AbandonAfterAsync(WorkflowUnderTest workflow, TimeSpan delay)
    {
        var (tick, before) = (TimeSpan.FromTicks(1), workflow.Queue.Counts.Abandoned);
        await Eventually.TrueAsync(() => _time.HasTimerDueIn(delay));
        _brokerTime.Advance(delay);
        _time.Advance(delay - tick);
        Assert.True(_time.HasTimerDueIn(tick));
        Assert.Equal(before, workflow.Queue.Counts.Abandoned);
        _time.Advance(tick);
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Abandoned == before + 1);
    }
}
