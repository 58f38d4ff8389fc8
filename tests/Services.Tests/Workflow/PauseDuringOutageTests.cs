using System.Buffers.Binary;
using System.Diagnostics.Metrics;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class PauseDuringOutageTests
{
    private const string NoMessage = "No message is received: ",
        Drones = "/api/dronedeliveries",
        Packages = "/api/packages";

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
        await using var workflow = await StartAsync(handlers, prefetch); // the first delivery that fails dead-letters
        workflow.Backends.Answer(_ => status);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(10));
        await SaysAsync(workflow, NoMessage + "package does not serve its calls.");
        var (before, began) = (workflow.Backends.Calls.Count, TimeProvider.System.GetTimestamp());
        await Eventually.TrueAsync(() => workflow.Backends.Calls.Count >= before + 4);
        var breaks = TimeProvider.System.GetElapsedTime(began) / TimeSpan.FromSeconds(0.5);
        Assert.InRange(workflow.Backends.Calls.Count - before, 4, Math.Max(5, breaks + 1)); // one probe for each break
        workflow.Backends.Answer(_ => null);

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 10);
        await SaysAsync(workflow, null);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Redelivered));
    }

    [Theory]
    [InlineData(503, 1)]
    [InlineData(500, 2)]
    [InlineData(429, 1)]
    public async Task A_service_that_fails_whatever_is_asked_is_tried_with_one_message_at_a_time(
        int status,
        int maxDeliveryCount
    )
    {
        await using var workflow = await StartAsync(
            4,
            50,
            maxDeliveryCount,
            settings: new()
            {
                ["Resilience:RetryDelays"] = null,
                ["Resilience:RetryDelays:0"] = "00:00:00.100",
                ["Resilience:BreakerMinimumThroughput"] = "3",
            }
        );
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<IMeterFactory>());
        var isBroken = true;
        workflow.Backends.Answer(call =>
            isBroken && call.Path.StartsWith("/api/dronedeliveries", StringComparison.Ordinal) ? status : null
        );

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(30));
        await SaysAsync(workflow, NoMessage + "dronescheduler does not serve its calls.");
        var (before, packages, began) = (
            Tried(workflow, Drones),
            Tried(workflow, Packages),
            TimeProvider.System.GetTimestamp()
        );
        await Eventually.TrueAsync(() => Tried(workflow, Drones) >= before + 4);
        var breaks = TimeProvider.System.GetElapsedTime(began) / TimeSpan.FromSeconds(0.5);
        // One for each pause, not as many as there are handlers, although the circuit lets one call of theirs pass.
        Assert.InRange(Tried(workflow, Drones) - before, 4, Math.Max(5, breaks + 1));
        Assert.InRange(Tried(workflow, Packages) - packages, 3, Math.Max(8, breaks + 4));
        metrics.Observe();
        Assert.Contains(metrics.ValuesOf(PauseDuringOutage.StateName), state => state > 0);
        isBroken = false;

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 30);
        await SaysAsync(workflow, null);
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
        Assert.InRange(workflow.Queue.Counts.Abandoned, 0, 2); // fewer than the circuit needs
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
                ["Resilience:RetryDelays:0"] = "00:00:00.200",
                ["Resilience:RetryDelays:1"] = "00:00:00.200",
                ["Resilience:BreakerMinimumThroughput"] = "3",
            }
        );
        workflow.Backends.Answer(call =>
            call.Path.StartsWith("/api/deliveries/bad", StringComparison.Ordinal) ? status : null
        );

        await workflow.Queue.SendAsync(
            Enumerable.Range(0, Bad).Select(i => QueueMessages.Delivery(SampleRequests.Delivery($"bad-{i}")))
        );
        await Eventually.TrueAsync(() => workflow.Host.Logs.With("Receiving paused").Any());
        var good = 0;
        await Eventually.TrueAsync(
            async () =>
            {
                // No more than that, or on a slow machine the bad ones wait behind more and more of them.
                if (good - workflow.Backends.Deliveries.Count < 20)
                    await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery($"good-{good++}")));
                await Task.Delay(100, Cancelled);
                return workflow.Queue.Counts.DeadLettered == Bad;
            },
            within: TimeSpan.FromMinutes(4)
        );

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == good);
        Assert.All(workflow.Backends.Deliveries.Keys, id => Assert.StartsWith("good", id, StringComparison.Ordinal));
        await SaysAsync(workflow, null);
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task An_outage_of_ten_locks_costs_no_message()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(Settings(20, 20), queue =>
            queue with
            {
                LockDuration = TimeSpan.FromSeconds(1),
            }
        );
        workflow.Backends.Answer(_ => 503);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(60));
        await SaysAsync(workflow, NoMessage + "package does not serve its calls.");
        await Task.Delay(TimeSpan.FromSeconds(10), Cancelled);
        workflow.Backends.Answer(_ => null);

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 60);
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task A_broker_that_is_away_for_five_locks_costs_no_message()
    {
        var isAway = false;
        await using var queue = await QueueUnderTest.StartAsync(options =>
            options with
            {
                LockDuration = TimeSpan.FromSeconds(1),
            }
        );
        await using var backends = await FakeBackends.StartAsync();
        await using var relay = new Relay(queue.Broker.Broker.Address.Port, _ => Volatile.Read(ref isAway));
        await using var workflow = StartBehind(relay, queue, backends);

        await queue.SendAsync(QueueMessages.Deliveries(60).Take(30));
        await Eventually.TrueAsync(() => !backends.Deliveries.IsEmpty);
        Volatile.Write(ref isAway, true);
        await queue.SendAsync(QueueMessages.Deliveries(60).Skip(30));
        await Task.Delay(TimeSpan.FromSeconds(5), Cancelled);
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
            settings: new() { ["Services:dronescheduler:0"] = "http://127.0.0.1:1" }
        );

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));

        await SaysAsync(workflow, NoMessage + "dronescheduler does not serve its calls.");
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
    }

    [Fact]
    public async Task An_answer_that_cannot_be_read_costs_no_delivery()
    {
        await using var workflow = await StartAsync(1, 0);
        var unreadable = 2;
        workflow.Backends.Answer(_ => Interlocked.Decrement(ref unreadable) >= 0 ? 200 : null);

        await workflow.Queue.SendAsync(QueueMessages.Deliveries(1));

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

        await SaysAsync(workflow, NoMessage + "package does not serve its calls.");
        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Locked: 0, Incoming: >= 4 });
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
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
        await using var workflow = await StartAsync(1, 0, 10, new() { ["Workflow:PostponeDelay"] = "00:00:04" });
        var queue = workflow.Queue;
        workflow.Backends.Answer(_ => 503);
        var message = QueueMessages.Delivery(SampleRequests.Delivery("order-1"));
        message.TimeToLive = TimeSpan.FromHours(1);
        await queue.SendAsync(message);
        var latest = TimeProvider.System.GetUtcNow() + message.TimeToLive;
        await Eventually.TrueAsync(() => queue.Counts.Incoming >= 2);
        await workflow.Host.DisposeAsync();

        var copy = await queue.TakeAsync();

        Assert.Equal("order-1", copy.CorrelationId);
        // Not ExpiresAt, which is what the sender believed: the broker counts from the enqueued time.
        Assert.InRange(copy.EnqueuedTime + copy.TimeToLive, latest.AddMinutes(-1), latest.AddSeconds(2));
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
        await SaysAsync(workflow, NoMessage + "package does not serve its calls.");

        await workflow.Host.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60), Cancelled);

        await Eventually.TrueAsync(() =>
            workflow.Queue.Counts is { Locked: 0 } counts && counts.Active + counts.Scheduled == 3
        );
    }

    private static Task<WorkflowUnderTest> StartAsync(
        int handlers,
        int prefetch,
        int maxDeliveryCount = 1,
        Dictionary<string, string?>? settings = null
    ) =>
        WorkflowUnderTest.StartAsync(Settings(handlers, prefetch).And(settings ?? []), queue =>
            queue with
            {
                MaxDeliveryCount = maxDeliveryCount,
            }
        );

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
            ["Resilience:BreakerFailureRatio"] = "0.75",
            ["Resilience:BreakerMinimumThroughput"] = "2",
            ["Resilience:BreakerBreakDuration"] = "00:00:00.500",
        };

    /// <param name="why">Why no message is received; null: all is well.</param>
    private static Task SaysAsync(WorkflowUnderTest workflow, string? why) =>
        Eventually.TrueAsync(async () =>
            await workflow.Http.CheckAsync("backends") == (why is null ? "Healthy" : "Degraded", why)
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

    private static int Tried(WorkflowUnderTest workflow, string path) =>
        workflow.Backends.Calls.Count(call => call.Path.StartsWith(path, StringComparison.Ordinal));
}
