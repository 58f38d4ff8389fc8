using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using DroneDelivery.Testing;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class PauseDuringOutageTests
{
    private const string NoMessage = "Receiving is paused: ",
        Drones = "/api/dronedeliveries",
        Packages = "/api/packages";

    private static readonly TimeSpan Break = TimeSpan.FromSeconds(0.5),
        RetryDelay = TimeSpan.FromMilliseconds(50),
        LongestLock = TimeSpan.FromMinutes(5);

    // Separate clocks, so that the first one has only Workflow's timers.
    private readonly ManualTimeProvider _time;
    private readonly ManualTimeProvider _brokerTime;

    // Counted when Workflow sends them: a backend may read a call after Workflow has canceled it.
    private readonly ConcurrentQueue<string> _sent = new();

    public PauseDuringOutageTests()
    {
        _time = WorkflowUnderTest.CreateTime();
        _brokerTime = new(_time.GetUtcNow());
    }

    [Theory]
    [InlineData(1, 0, 503)]
    [InlineData(4, 50, 503)] // Credit remains for messages that are not handled.
    [InlineData(20, 20, 504)]
    [InlineData(4, 0, 401)] // A misconfiguration, not an error in the requests.
    public async Task Outage_uses_no_delivery_attempts_of_a_message(int handlers, int prefetch, int status)
    {
        const int Breaks = 4;
        await using var workflow = await StartAsync(handlers, prefetch, maxDeliveryCount: 10);
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<IMeterFactory>());
        workflow.Backends.Answer(_ => status);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(10));
        await PausedAsync(workflow, "package");
        for (var breaks = 0; breaks < Breaks; breaks++)
        {
            var before = _sent.Count;
            Advance(Break);
            await Eventually.TrueAsync(() => _sent.Count > before);
            await PausedAsync(workflow, "package");
            Assert.Equal(before + 1, _sent.Count); // One probe for each break.
        }
        // Every message of a handler is settled. The SDK may lose messages that arrive while its processor stops, one
        // for each handler, so the number of expired locks is not meaningful.
        Assert.Empty(metrics.Of("drone_delivery.settlements.failed"));
        await Eventually.TrueAsync(() =>
            metrics.Of("messaging.process.duration").Count == metrics.Of("drone_delivery.messages.settled").Count
        );
        workflow.Backends.Answer(_ => null);
        Advance(Break);

        await DeliveredAsync(workflow, 10);
        await AssertCheckAsync(workflow, null);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Abandoned));
    }

    [Theory]
    [InlineData(503)]
    [InlineData(500)]
    [InlineData(429)]
    public async Task Service_that_fails_every_call_is_probed_with_single_messages(int status)
    {
        await using var workflow = await StartAsync(
            4,
            50,
            maxDeliveryCount: 10,
            settings: new()
            {
                ["Resilience:RetryDelays"] = null,
                ["Resilience:RetryDelays:0"] = "00:00:00",
                ["Resilience:BreakerMinimumThroughput"] = "3",
            }
        );
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<IMeterFactory>());
        var (isBroken, mayFail) = (true, Task.CompletedTask);
        workflow.Backends.Interfere = async call =>
        {
            if (!isBroken || !call.Path.StartsWith(Drones, StringComparison.Ordinal))
                return null;
            await mayFail;
            return status;
        };

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(30));
        await PausedAsync(workflow, "dronescheduler");
        for (var breaks = 0; breaks < 4; breaks++)
        {
            var (drones, packages) = (Sent(Drones), Sent(Packages));
            var probe = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            mayFail = probe.Task;
            Advance(Break);
            await Eventually.TrueAsync(() => Sent(Drones) > drones && workflow.Backends.Running == 1);
            // The circuit to Package would pass the messages of all handlers.
            Assert.Equal((drones + 1, packages + 1), (Sent(Drones), Sent(Packages)));
            probe.SetResult();
            await PausedAsync(workflow, "dronescheduler");
            Assert.Equal(drones + 1, Sent(Drones));
        }
        metrics.Observe();
        Assert.Contains(metrics.ValuesOf(PauseDuringOutage.StateName), state => state > 0);
        isBroken = false;
        Advance(Break);

        await DeliveredAsync(workflow, 30);
        await AssertCheckAsync(workflow, null);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Abandoned));
    }

    [Theory]
    [InlineData(500)]
    [InlineData(503)]
    public async Task Poison_messages_are_dead_lettered_while_good_ones_complete(int status)
    {
        const int Bad = 4;
        await using var workflow = await StartAsync(
            Bad,
            0,
            maxDeliveryCount: 3,
            settings: new()
            {
                ["Resilience:RetryDelays"] = null,
                ["Resilience:RetryDelays:0"] = "00:00:00",
                ["Resilience:RetryDelays:1"] = "00:00:00",
                ["Resilience:BreakerMinimumThroughput"] = "3",
                ["Resilience:AttemptTimeout"] = "1.00:00:00", // The clock advances while calls are in progress.
                ["Workflow:RetryFor"] = "00:00:10",
            }
        );
        workflow.Backends.Answer(call =>
            call.Path.StartsWith("/api/deliveries/bad", StringComparison.Ordinal) ? status : null
        );

        await workflow.Queue.SendAsync(
            Enumerable.Range(0, Bad).Select(i => QueueMessages.Delivery(SampleRequests.Delivery($"bad-{i}")))
        );
        await PausedAsync(workflow, "delivery");
        var good = 0;
        await AdvanceUntilAsync(
            workflow,
            () => workflow.Queue.Counts.DeadLettered == Bad,
            meanwhile: async () =>
            {
                // A limited number; otherwise, the bad messages wait behind more and more good ones on a slow machine.
                if (good - workflow.Backends.Deliveries.Count < 20)
                    await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery($"good-{good++}")));
            }
        );

        await AdvanceUntilAsync(workflow, () => workflow.Backends.Deliveries.Count == good);
        Assert.All(workflow.Backends.Deliveries.Keys, id => Assert.StartsWith("good", id, StringComparison.Ordinal));
        await AssertCheckAsync(workflow, null);
    }

    [Fact]
    public async Task Outage_of_ten_lock_durations_loses_no_message()
    {
        var duration = TimeSpan.FromSeconds(5);
        await using var workflow = await StartAsync(20, 20, maxDeliveryCount: 10, lockDuration: duration);
        workflow.Backends.Answer(_ => 503);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(60));
        await PausedAsync(workflow, "package");
        for (var locks = 0; locks < 10; locks++)
        {
            var before = _sent.Count;
            Advance(duration);
            await Eventually.TrueAsync(() => _sent.Count > before);
            await PausedAsync(workflow, "package");
        }
        workflow.Backends.Answer(_ => null);
        Advance(Break);

        await DeliveredAsync(workflow, 60);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Abandoned));
    }

    [Fact]
    public async Task Broker_outage_of_five_lock_durations_loses_no_message()
    {
        var (isAway, duration) = (false, TimeSpan.FromSeconds(5));
        await using var queue = await QueueUnderTest.StartAsync(
            options => options with { LockDuration = duration },
            brokerTime: _brokerTime
        );
        await using var backends = await FakeBackends.StartAsync();
        await using var relay = new Relay(queue.Broker.Broker.Address.Port, _ => Volatile.Read(ref isAway));
        await using var workflow = StartBehind(relay, queue, backends);

        await queue.SendAsync(QueueMessages.Deliveries(60).Take(30));
        await Eventually.TrueAsync(() => !backends.Deliveries.IsEmpty);
        Volatile.Write(ref isAway, true);
        await queue.SendAsync(QueueMessages.Deliveries(60).Skip(30));
        await Eventually.TrueAsync(() => queue.Receivers == 0);
        for (var locks = 0; locks < 5; locks++)
            _brokerTime.Advance(duration);
        Assert.Equal(0, queue.Counts.Locked);
        Assert.True(backends.Deliveries.Count < 60);
        Volatile.Write(ref isAway, false);

        await Eventually.TrueAsync(() => backends.Deliveries.Count == 60 && queue.Counts is { Active: 0, Locked: 0 });
        Assert.Equal(0, queue.Counts.DeadLettered);
    }

    [Fact]
    public async Task Unreachable_service_pauses_receiving()
    {
        await using var workflow = await StartAsync(
            1,
            0,
            settings: new() { ["services:dronescheduler:http:0"] = "http://127.0.0.1:1" }
        );

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));
        await DeliverPostponedAsync();

        await PausedAsync(workflow, "dronescheduler");
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
    }

    [Fact]
    public async Task Unreadable_response_uses_no_delivery_attempt()
    {
        await using var workflow = await StartAsync(1, 0);
        var unreadable = 2;
        workflow.Backends.Answer(_ => Interlocked.Decrement(ref unreadable) >= 0 ? 200 : null);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));
        await DeliverPostponedAsync();
        await DeliverPostponedAsync(retries: 1);

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 1);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Redelivered));
    }

    [Fact]
    public async Task Hanging_call_is_canceled_when_the_outage_is_detected()
    {
        await using var workflow = await StartAsync(
            2,
            0,
            settings: new() { ["Resilience:AttemptTimeout"] = "00:05:00" }
        );
        var never = new TaskCompletionSource<int?>();
        var hung = 0;
        workflow.Backends.Interfere = call =>
            Interlocked.Increment(ref hung) == 1 ? never.Task : Task.FromResult<int?>(503);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(2));
        await DeliverPostponedAsync();

        await PausedAsync(workflow, "package");
        Assert.True(workflow.Queue.Counts is { Locked: 0, Incoming: 5, Scheduled: 2, DeadLettered: 0 });
        never.SetResult(503);
    }

    [Fact]
    public async Task Workflow_survives_a_lost_connection_at_the_start_of_a_pause()
    {
        var drains = 0;
        await using var queue = await QueueUnderTest.StartAsync(options =>
            options with
            {
                LockDuration = TimeSpan.FromSeconds(5),
                MaxDeliveryCount = 100,
            }
        );
        await using var backends = await FakeBackends.StartAsync();
        await using var relay = new Relay(queue.Broker.Broker.Address.Port, written =>
            IsDrain(written) && Interlocked.Increment(ref drains) == 1
        );
        backends.Answer(_ => drains == 0 ? 503 : null);
        await using var workflow = StartBehind(relay, queue, backends);

        await queue.SendAsync(QueueMessages.Deliveries(10));

        await Eventually.TrueAsync(() => backends.Deliveries.Count == 10);
        Assert.Equal(0, queue.Counts.DeadLettered);
    }

    [Fact]
    public async Task Postponed_message_keeps_its_expiry_time()
    {
        await using var workflow = await StartAsync(1, 0, 10, new() { ["Workflow:RetryDelay"] = "00:00:04" });
        var queue = workflow.Queue;
        workflow.Backends.Answer(_ => 503);
        var message = QueueMessages.Delivery(SampleRequests.Delivery("order-1"));
        message.TimeToLive = TimeSpan.FromHours(3);
        var expected = _brokerTime.GetUtcNow() + message.TimeToLive;
        await queue.SendAsync(message);
        await Eventually.TrueAsync(() => queue.Counts is { Incoming: 2, Scheduled: 1 });
        await workflow.Host.DisposeAsync();
        _brokerTime.Advance(TimeSpan.FromSeconds(4));

        var copy = await queue.TakeAsync();

        Assert.Equal("order-1", copy.CorrelationId);
        // The broker's clock counts from the enqueued time. AMQP rounds to milliseconds.
        Assert.Equal(expected, copy.EnqueuedTime + copy.TimeToLive, TimeSpan.FromMilliseconds(2));
    }

    [Fact]
    public async Task Workflow_stops_immediately_while_receiving_is_paused()
    {
        await using var workflow = await StartAsync(
            20,
            100,
            10,
            new() { ["Resilience:BreakerBreakDuration"] = "00:05:00", ["shutdownTimeoutSeconds"] = "300" }
        );
        workflow.Backends.Answer(_ => 503);
        await workflow.Queue.SendAsync(QueueMessages.Deliveries(3));
        await AssertCheckAsync(workflow, NoMessage + "package unavailable.");

        await workflow.Host.DisposeAsync(); // The clock is stopped, so nothing waits.

        await Eventually.TrueAsync(() =>
        {
            EndLostLocks(workflow);
            return workflow.Queue.Counts is { Locked: 0 } counts && counts.Active + counts.Scheduled == 3;
        });
    }

    private Task<WorkflowUnderTest> StartAsync(
        int handlers,
        int prefetch,
        int maxDeliveryCount = 1,
        Dictionary<string, string?>? settings = null,
        TimeSpan? lockDuration = null
    ) =>
        WorkflowUnderTest.StartAsync(
            Settings(handlers, prefetch).And(settings ?? []),
            queue => queue with { MaxDeliveryCount = maxDeliveryCount, LockDuration = lockDuration ?? LongestLock },
            _brokerTime,
            _time,
            add: services => services.AddSingleton<IHttpMessageHandlerBuilderFilter>(new BreakCalls(NoteCall))
        );

    private CallEnd NoteCall(string method, string path)
    {
        _sent.Enqueue(path);
        return CallEnd.Answered;
    }

    private static WorkflowUnderTest StartBehind(Relay relay, QueueUnderTest queue, FakeBackends backends)
    {
        var broker = queue.Broker.ConnectionString.Replace(
            $":{queue.Broker.Broker.Address.Port};",
            $":{relay.Port};",
            StringComparison.Ordinal
        );
        return WorkflowUnderTest.Start(queue, backends, Settings(5, 10).And("ServiceBus:ConnectionString", broker));
    }

    private static Dictionary<string, string?> Settings(int handlers, int prefetch) =>
        new()
        {
            ["Workflow:HoldDuringOutage"] = "true",
            ["Workflow:MaxConcurrentCalls"] = $"{handlers}",
            ["Workflow:PrefetchCount"] = $"{prefetch}",
            ["Workflow:RetryDelay"] = $"{RetryDelay}",
            ["Resilience:BreakerFailureRatio"] = "0.75",
            ["Resilience:BreakerMinimumThroughput"] = "2",
            ["Resilience:BreakerBreakDuration"] = $"{Break}",
        };

    /// <param name="why">The reason why receiving is paused; <c>null</c> if it isn't.</param>
    private static Task AssertCheckAsync(WorkflowUnderTest workflow, string? why) =>
        Eventually.TrueAsync(async () =>
            await workflow.Http.CheckAsync("backends") == (why is null ? "Healthy" : "Degraded", why)
        );

    /// <summary>
    /// Waits until receiving is paused: all handlers have ended, so no call is in progress, and the break has started.
    /// </summary>
    private async Task PausedAsync(WorkflowUnderTest workflow, string service)
    {
        await AssertCheckAsync(workflow, $"{NoMessage}{service} unavailable.");
        await Eventually.TrueAsync(() => _time.HasTimerDueIn(Break));
        await Eventually.TrueAsync(() =>
        {
            EndLostLocks(workflow);
            return workflow.Queue.Counts.Locked == 0;
        });
    }

    private async Task DeliverPostponedAsync(int retries = 0)
    {
        var delay = RetryDelay * (1 << retries);
        await Eventually.TrueAsync(() => _brokerTime.HasTimerDueIn(delay));
        Advance(delay);
    }

    /// <summary>
    /// Advances the broker's clock first, so that due messages are available when Workflow continues.
    /// </summary>
    private void Advance(TimeSpan by)
    {
        _brokerTime.Advance(by);
        _time.Advance(by);
    }

    private void EndLostLocks(WorkflowUnderTest workflow)
    {
        if (workflow.Queue.Lost > 0)
            _brokerTime.Advance(LongestLock);
    }

    private Task DeliveredAsync(WorkflowUnderTest workflow, int count) =>
        Progress.UntilAsync(
            () =>
            {
                EndLostLocks(workflow);
                return Task.FromResult(workflow.Backends.Deliveries.Count == count);
            },
            () => workflow.Queue.Counts
        );

    private Task AdvanceUntilAsync(WorkflowUnderTest workflow, Func<bool> condition, Func<Task>? meanwhile = null) =>
        Progress.UntilAsync(
            async () =>
            {
                await (meanwhile?.Invoke() ?? Task.CompletedTask);
                EndLostLocks(workflow);
                Advance(TimeSpan.FromMilliseconds(100));
                return condition();
            },
            () => workflow.Queue.Counts
        );

    /// <summary>
    /// Returns whether the bytes are an AMQP flow (0x13) whose last field requests a drain (0x41: true), in the SDK's
    /// encoding when it closes.
    /// </summary>
    private static bool IsDrain(ReadOnlyMemory<byte> written)
    {
        for (var frames = written.Span; frames.Length > 11; )
        {
            var size = BinaryPrimitives.ReadInt32BigEndian(frames);
            if (size < 12 || size > frames.Length)
                return false;
            if (frames[10] == 0x13 && frames[11..size].IndexOf((byte)0x41) > 0)
                return true;
            frames = frames[size..];
        }
        return false;
    }

    private int Sent(string path) => _sent.Count(call => call.StartsWith(path, StringComparison.Ordinal));
}
