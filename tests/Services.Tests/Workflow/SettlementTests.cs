using System.Diagnostics.Metrics;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class SettlementTests
{
    /// <summary>More failing messages than handlers, on a manual clock.</summary>
    [Fact]
    public async Task Failed_messages_occupy_no_handler()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:MaxConcurrentCalls"] = "2", ["Workflow:PrefetchCount"] = "0" },
            queue => queue with { LockDuration = TimeSpan.FromMinutes(5) },
            time: WorkflowUnderTest.CreateTime()
        );
        workflow.Backends.Answer(call => call.Path.Contains("bad", StringComparison.Ordinal) ? 500 : null);

        await workflow.Queue.SendAsync(
            new[] { "bad-1", "bad-2", "bad-3", "order-1" }.Select(id =>
                QueueMessages.Delivery(SampleRequests.Delivery(id))
            )
        );

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.ContainsKey("order-1"));
        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Scheduled: 3, Abandoned: 0 });
    }

    [Fact]
    public async Task Retry_waits_for_a_delay_that_doubles_each_time()
    {
        var (time, tick) = (WorkflowUnderTest.CreateTime(), TimeSpan.FromTicks(1));
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:RetryDelay"] = "00:00:00.400" },
            time: time
        );
        workflow.Backends.Answer(_ => 500);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        for (var retry = 0; retry < 4; retry++)
        {
            var delay = TimeSpan.FromMilliseconds(400 << retry);
            await Eventually.TrueAsync(() => workflow.Queue.Counts.Scheduled == 1);
            time.Advance(delay - tick);
            Assert.Equal((1, 0), (workflow.Queue.Counts.Scheduled, workflow.Queue.Counts.Active));
            time.Advance(tick);
            await Eventually.TrueAsync(() => workflow.Backends.Calls.Count == retry + 2);
        }
    }

    [Theory]
    [InlineData("1.00:00:00", 1, "complete")]
    [InlineData("00:00:00", 2, "complete,dead_letter")]
    public async Task Late_completion_is_counted_and_retried(string retryFor, int lockLost, string failedSettlements)
    {
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new()
            {
                ["Workflow:RetryFor"] = retryFor,
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
}
