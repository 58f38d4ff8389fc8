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

    // Apart, so that the timers of the first are Workflow's only.
    private readonly ManualTimeProvider _time;
    private readonly ManualTimeProvider _brokerTime;

    // Counted where Workflow sends them: a backend may read a call after Workflow has given it up.
    private readonly ConcurrentQueue<string> _sent = new();

    public PauseDuringOutageTests()
    {
        _time = WorkflowUnderTest.CreateTime();
        _brokerTime = new(_time.GetUtcNow());
    }

    [Theory]
    [InlineData(1, 0, 503)]
    [InlineData(4, 50, 503)] // with credit left for messages that nobody would handle
    [InlineData(20, 20, 504)]
    [InlineData(4, 0, 401)] // a mistake in the setup, not in the requests
    public async Task A_message_that_meets_an_outage_keeps_its_deliveries_and_is_handled_after_it(
        int handlers,
        int prefetch,
        int status
    )
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
            Assert.Equal(before + 1, _sent.Count); // one probe for each break
        }
        // Every message of a handler is settled. The SDK may lose messages that arrive while its processor stops, one for each handler, so
        // the number of expired locks proves nothing.
        Assert.Empty(metrics.Of("drone_delivery.settlements.failed"));
        await Eventually.TrueAsync(() =>
            metrics.Of("messaging.process.duration").Count == metrics.Of("drone_delivery.messages.settled").Count
        );
        workflow.Backends.Answer(_ => null);
        Advance(Break);

        await DeliveredAsync(workflow, 10);
        await SaysAsync(workflow, null);
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
            // The circuit to Package would let the messages of all handlers pass.
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
        await SaysAsync(workflow, null);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Abandoned));
    }

    [Theory]
    [InlineData(500)]
    [InlineData(503)]
    public async Task Bad_messages_among_good_ones_end_by_their_own_fault_although_they_are_as_many_as_the_handlers(
        int status
    )
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
                ["Resilience:AttemptTimeout"] = "1.00:00:00", // the clock moves while calls are under way
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
                // No more than that, or on a slow machine the bad ones wait behind more and more of them.
                if (good - workflow.Backends.Deliveries.Count < 20)
                    await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery($"good-{good++}")));
            }
        );

        await AdvanceUntilAsync(workflow, () => workflow.Backends.Deliveries.Count == good);
        Assert.All(workflow.Backends.Deliveries.Keys, id => Assert.StartsWith("good", id, StringComparison.Ordinal));
        await SaysAsync(workflow, null);
    }

    [Fact]
    public async Task An_outage_of_ten_locks_costs_no_message()
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
    public async Task A_broker_that_is_away_for_five_locks_costs_no_message()
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
    public async Task A_service_that_does_not_answer_at_all_is_away_too()
    {
        await using var workflow = await StartAsync(
            1,
            0,
            settings: new() { ["services:dronescheduler:http:0"] = "http://127.0.0.1:1" }
        );

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));
        await AgainAsync();

        await PausedAsync(workflow, "dronescheduler");
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
    }

    [Fact]
    public async Task An_answer_that_cannot_be_read_costs_no_delivery()
    {
        await using var workflow = await StartAsync(1, 0);
        var unreadable = 2;
        workflow.Backends.Answer(_ => Interlocked.Decrement(ref unreadable) >= 0 ? 200 : null);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));
        await AgainAsync();
        await AgainAsync(retries: 1);

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 1);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Redelivered));
    }

    [Fact]
    public async Task A_call_that_hangs_ends_when_the_outage_is_noticed()
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
        await AgainAsync();

        await PausedAsync(workflow, "package");
        Assert.True(workflow.Queue.Counts is { Locked: 0, Incoming: 5, Scheduled: 2, DeadLettered: 0 });
        never.SetResult(503);
    }

    [Fact]
    public async Task A_connection_that_is_lost_while_a_pause_begins_does_not_end_Workflow()
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
    public async Task A_postponed_message_expires_when_it_would_have_expired()
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
        // The broker counts from the enqueued time, by its own clock. AMQP rounds to milliseconds.
        Assert.Equal(expected, copy.EnqueuedTime + copy.TimeToLive, TimeSpan.FromMilliseconds(2));
    }

    [Fact]
    public async Task Workflow_stops_at_once_while_receiving_is_paused()
    {
        await using var workflow = await StartAsync(
            20,
            100,
            10,
            new() { ["Resilience:BreakerBreakDuration"] = "00:05:00", ["shutdownTimeoutSeconds"] = "300" }
        );
        workflow.Backends.Answer(_ => 503);
        await workflow.Queue.SendAsync(QueueMessages.Deliveries(3));
        await SaysAsync(workflow, NoMessage + "package unavailable.");

        await workflow.Host.DisposeAsync(); // the clock stands still, so it waits for nothing

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

    /// <param name="why">Why no message is received; null: all is well.</param>
    private static Task SaysAsync(WorkflowUnderTest workflow, string? why) =>
        Eventually.TrueAsync(async () =>
            await workflow.Http.CheckAsync("backends") == (why is null ? "Healthy" : "Degraded", why)
        );

    /// <summary>Waits until receiving is paused: the handlers have ended, so no call is under way, and the break has begun.</summary>
    private async Task PausedAsync(WorkflowUnderTest workflow, string service)
    {
        await SaysAsync(workflow, $"{NoMessage}{service} unavailable.");
        await Eventually.TrueAsync(() => _time.HasTimerDueIn(Break));
        await Eventually.TrueAsync(() =>
        {
            EndLostLocks(workflow);
            return workflow.Queue.Counts.Locked == 0;
        });
    }

    /// <summary>Waits until a message is postponed, and lets it be delivered.</summary>
    private async Task AgainAsync(int retries = 0)
    {
        var delay = RetryDelay * (1 << retries);
        await Eventually.TrueAsync(() => _brokerTime.HasTimerDueIn(delay));
        Advance(delay);
    }

    /// <summary>The broker's clock first: what is due by then is there when Workflow goes on.</summary>
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

    /// <summary>An AMQP flow (0x13) whose last fields that are set say drain (0x41: true), as the SDK writes it when it closes.</summary>
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
