using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Testing;
using DroneDelivery.Workflow.Holding;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Workflow;

/// <summary>While a service is away messages wait in the queue; a message that fails alone does not make others wait.</summary>
public sealed class HoldReceivingTests
{
    /// <summary>Calls wait until the circuit of a service opens that answers 503 and calls itself healthy.</summary>
    private static readonly Dictionary<string, string?> HealthyAndUseless = new()
    {
        ["Resilience:RetryDelays"] = null,
        ["Resilience:RetryDelays:0"] = "00:00:01",
        ["Resilience:RetryDelays:1"] = "00:00:01",
        ["Resilience:BreakerFailureRatio"] = "0.75",
        ["Resilience:BreakerBreakDuration"] = "00:00:01",
    };

    [Theory]
    [InlineData(1, 0)]
    [InlineData(4, 50)] // with credit left for messages that nobody would handle
    public async Task A_message_that_meets_an_outage_keeps_its_deliveries_and_is_handled_after_it(int handlers, int prefetch)
    {
        // Its clock moves only while receiving is held, and then far: no lock ends on a busy machine.
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var workflow = await StartAsync(handlers, prefetch, brokerTime: brokerTime);
        workflow.Backends.Interfere = _ => Task.FromResult<int?>(503);

        await workflow.Queue.SendAsync(Deliveries(10));
        await Eventually.TrueAsync(async () =>
            await BackendsAsync(workflow) == "Degraded No message is received: package answers 503.");
        await Eventually.TrueAsync(() => TimesAsked(workflow) >= 2); // the first time before receiving had stopped
        var settled = workflow.Queue.Counts.Completed;
        brokerTime.Advance(TimeSpan.FromHours(1)); // longer than a lock, and than a message is put off
        await Eventually.TrueAsync(() => TimesAsked(workflow) >= 5);
        Assert.Equal((settled, 0), (workflow.Queue.Counts.Completed, workflow.Queue.Counts.ExpiredLocks));
        workflow.Backends.Interfere = _ => Task.FromResult<int?>(null);

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 10);
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Redelivered));
        await Eventually.TrueAsync(async () => await BackendsAsync(workflow) == "Healthy ");
    }

    [Fact]
    public async Task A_message_that_fails_alone_ends_dead_lettered_and_holds_up_nobody()
    {
        await using var workflow = await StartAsync(handlers: 4, prefetch: 0, maxDeliveryCount: 3);
        workflow.Backends.Interfere = call => Task.FromResult<int?>(
            call.Path.StartsWith("/api/deliveries/poison", StringComparison.Ordinal) ? 500 : null);

        // More of them than handlers: every call of the moment fails, and still nobody is away.
        await workflow.Queue.SendAsync(Enumerable.Range(0, 6).Select(i => QueueMessages.Delivery(SampleRequests.Delivery($"poison-{i}"))));
        await workflow.Queue.SendAsync(Deliveries(3));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLettered == 6);
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 3);
        Assert.Equal(6 * 3, workflow.Queue.Counts.Abandoned);
        Assert.DoesNotContain(workflow.Host.Logs.Lines, line => line.Contains("No message is received", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_service_that_calls_itself_healthy_and_serves_no_call_costs_no_delivery_either()
    {
        await using var workflow = await StartAsync(4, 0, settings: HealthyAndUseless);
        var isFull = true;
        workflow.Backends.Interfere = call => Task.FromResult<int?>(
            isFull && call.Path.StartsWith("/api/deliveries", StringComparison.Ordinal) ? 503 : null);

        await workflow.Queue.SendAsync(Deliveries(10));
        await Eventually.TrueAsync(async () =>
            await BackendsAsync(workflow) == "Degraded No message is received: delivery does not serve its calls.");
        await Eventually.TrueAsync(() => TimesAsked(workflow) >= 6);
        isFull = false;

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 10);
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
    }

    [Theory]
    [InlineData(500)]
    [InlineData(429)]
    public async Task A_service_that_calls_itself_healthy_and_fails_whatever_is_asked_costs_no_delivery_either(int status)
    {
        // The queue would dead-letter at the first failure of a message.
        await using var workflow = await StartAsync(4, 0, settings: HealthyAndUseless.And("Resilience:BreakerMinimumThroughput", "3"));
        var isBroken = true;
        workflow.Backends.Interfere = call => Task.FromResult<int?>(
            isBroken && call.Path.StartsWith("/api/dronedeliveries", StringComparison.Ordinal) ? status : null);

        await workflow.Queue.SendAsync(Deliveries(10));
        await Eventually.TrueAsync(async () =>
            await BackendsAsync(workflow) == "Degraded No message is received: dronescheduler does not serve its calls.");
        await Eventually.TrueAsync(() => Lines(workflow, "one at a time until dronescheduler has answered a call") == 2);
        var tried = TriedDrones(workflow);
        await Eventually.TrueAsync(() => Lines(workflow, "one at a time until dronescheduler has answered a call") == 3);
        Assert.InRange(TriedDrones(workflow) - tried, 0, 2); // one for each pause
        isBroken = false;

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 10);
        await Eventually.TrueAsync(async () => await BackendsAsync(workflow) == "Healthy ");
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Redelivered));
    }

    [Fact]
    public async Task Bad_messages_among_good_ones_end_by_their_own_fault_although_they_are_as_many_as_the_handlers()
    {
        const int Bad = 4;
        await using var workflow = await StartAsync(
            Bad,
            0,
            maxDeliveryCount: 3,
            settings: HealthyAndUseless.And(new()
            {
                ["Resilience:RetryDelays:0"] = "00:00:00.200",
                ["Resilience:RetryDelays:1"] = "00:00:00.200",
                ["Resilience:BreakerMinimumThroughput"] = "3",
            }));
        workflow.Backends.Interfere = call => Task.FromResult<int?>(
            call.Path.StartsWith("/api/deliveries/bad", StringComparison.Ordinal) ? 500 : null);

        await workflow.Queue.SendAsync(Enumerable.Range(0, Bad).Select(i => QueueMessages.Delivery(SampleRequests.Delivery($"bad-{i}"))));
        await Eventually.TrueAsync(() => Lines(workflow, "No message is received") == 1);
        var good = 0;
        await Eventually.TrueAsync(
            async () =>
            {
                // No more than that, or on a slow machine the bad ones wait behind more and more of them.
                if (good - workflow.Backends.Deliveries.Count < 20)
                    await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery($"good-{good++}")));
                await Task.Delay(100, TestContext.Current.CancellationToken);
                return workflow.Queue.Counts.DeadLettered == Bad;
            },
            within: TimeSpan.FromMinutes(4));

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == good);
        Assert.All(workflow.Backends.Deliveries.Keys, id => Assert.StartsWith("good", id, StringComparison.Ordinal));
        await Eventually.TrueAsync(async () => await BackendsAsync(workflow) == "Healthy ");
    }

    [Fact]
    public async Task A_service_whose_health_is_better_than_its_answers_is_tried_with_one_message_at_a_time_after_growing_pauses()
    {
        await using var workflow = await StartAsync(4, 50, settings: HealthyAndUseless);
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<System.Diagnostics.Metrics.IMeterFactory>());
        var isFull = true;
        workflow.Backends.Interfere = call => Task.FromResult<int?>(
            isFull && call.Path.StartsWith("/api/deliveries", StringComparison.Ordinal) ? 503 : null);

        await workflow.Queue.SendAsync(Deliveries(30));
        await Eventually.TrueAsync(() => Lines(workflow, "one at a time until delivery has answered a call") == 1);
        var triedBefore = Tried(workflow);
        await Eventually.TrueAsync(() => Lines(workflow, "one at a time until delivery has answered a call") == 2);
        Assert.InRange(Tried(workflow) - triedBefore, 0, 2); // one for each pause, not as many as there are handlers
        var pauses = Pauses(workflow);
        Assert.True(pauses[1] >= 2 * pauses[0], string.Join(", ", pauses));
        metrics.Observe();
        Assert.Contains(metrics.ValuesOf(HoldingMetrics.StateName), state => state > 0);
        Assert.True(metrics.ValuesOf(HoldingMetrics.HeldName).Max() >= pauses.Take(2).Sum(pause => pause.TotalSeconds) - 0.1);
        isFull = false;

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 30);
        await Eventually.TrueAsync(async () => await BackendsAsync(workflow) == "Healthy ");
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Redelivered));
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(29, 58)]
    [InlineData(31, 60)]
    [InlineData(60, 60)]
    public void The_more_trials_have_failed_the_longer_is_the_next_pause_up_to_a_minute(int before, int next) =>
        Assert.Equal(TimeSpan.FromSeconds(next), HoldReceiving.BetweenTrials(TimeSpan.FromSeconds(before)));

    [Fact]
    public async Task A_pause_that_fails_is_tried_again_and_messages_are_received_afterwards()
    {
        var failing = new FailingReceiver();
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:HoldDuringOutage"] = "true" }, add: services => services.AddSingleton<IHeld>(failing));
        var isAway = true;
        workflow.Backends.Interfere = _ => Task.FromResult<int?>(isAway ? 503 : null);

        await workflow.Queue.SendAsync(Deliveries(3));
        await Eventually.TrueAsync(() => failing.Pauses >= 2);
        isAway = false;

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.Count == 3);
        Assert.Equal(1, Lines(workflow, "The pause of receiving failed"));
        await Eventually.TrueAsync(async () => await BackendsAsync(workflow) == "Healthy ");
    }

    [Fact]
    public async Task Without_HoldDuringOutage_messages_fail_as_they_come()
    {
        await using var workflow = await StartAsync(handlers: 1, prefetch: 0, hold: false);
        workflow.Backends.Interfere = _ => Task.FromResult<int?>(503);

        await workflow.Queue.SendAsync(Deliveries(3));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLettered == 3);
        Assert.DoesNotContain(workflow.Backends.Calls, call => call.Path == "/health/ready");
        Assert.Equal("Healthy ", await BackendsAsync(workflow));
    }

    [Fact]
    public async Task A_service_that_does_not_answer_at_all_is_away_too()
    {
        await using var workflow = await StartAsync(1, 0, settings: new() { ["Services:dronescheduler:0"] = "http://127.0.0.1:1" });

        await workflow.Queue.SendAsync(Deliveries(1));

        await Eventually.TrueAsync(async () =>
            await BackendsAsync(workflow) == "Degraded No message is received: dronescheduler does not answer.");
        Assert.Equal(0, workflow.Queue.Counts.DeadLettered);
    }

    [Fact]
    public async Task A_call_that_hangs_ends_when_the_outage_is_noticed()
    {
        await using var workflow = await StartAsync(2, 0, settings: new() { ["Resilience:AttemptTimeout"] = "00:05:00" });
        var never = new TaskCompletionSource<int?>();
        var hung = 0;
        workflow.Backends.Interfere = call =>
            call.Path.StartsWith("/api", StringComparison.Ordinal) && Interlocked.Increment(ref hung) == 1
                ? never.Task
                : Task.FromResult<int?>(hung > 0 ? 503 : null);

        await workflow.Queue.SendAsync(Deliveries(2));

        await Eventually.TrueAsync(async () => (await BackendsAsync(workflow)).StartsWith("Degraded", StringComparison.Ordinal));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Locked == 0);
        Assert.Equal((0, 4), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Incoming));
        never.SetResult(503);
    }

    [Fact]
    public async Task Workflow_stops_at_once_while_receiving_is_held()
    {
        await using var queue = await QueueUnderTest.StartAsync();
        await using var backends = await FakeBackends.StartAsync();
        backends.Interfere = _ => Task.FromResult<int?>(503);
        var workflow = WorkflowUnderTest.Start(queue, backends, new()
        {
            ["Workflow:HoldDuringOutage"] = "true",
            ["shutdownTimeoutSeconds"] = "300",
        });
        await queue.SendAsync(Deliveries(3));
        await Eventually.TrueAsync(async () => (await BackendsAsync(workflow)).StartsWith("Degraded", StringComparison.Ordinal));

        await workflow.Host.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

        await Eventually.TrueAsync(() => queue.Counts is { Locked: 0 } counts && counts.Active + counts.Scheduled == 3);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(9, 1)]
    [InlineData(20, 2)]
    [InlineData(30, 3)]
    [InlineData(86_400, 3)]
    public void The_longer_an_outage_lasts_the_less_often_the_service_is_asked_but_every_three_seconds(int outage, int pause) =>
        Assert.Equal(TimeSpan.FromSeconds(pause), HoldReceiving.Pause(TimeSpan.FromSeconds(outage)));

    private static Task<WorkflowUnderTest> StartAsync(
        int handlers,
        int prefetch,
        int maxDeliveryCount = 1,
        bool hold = true,
        Dictionary<string, string?>? settings = null,
        TimeProvider? brokerTime = null) =>
        WorkflowUnderTest.StartAsync(
            new Dictionary<string, string?>
            {
                ["Workflow:HoldDuringOutage"] = $"{hold}",
                ["Workflow:MaxConcurrentCalls"] = $"{handlers}",
                ["Workflow:PrefetchCount"] = $"{prefetch}",
            }.And(settings ?? []),
            queue => queue with { MaxDeliveryCount = maxDeliveryCount },
            brokerTime);

    private static int TimesAsked(WorkflowUnderTest workflow) =>
        workflow.Backends.Calls.Count(call => call.Path == "/health/ready");

    private static async Task<string> BackendsAsync(WorkflowUnderTest workflow)
    {
        var report = await workflow.Http.GetFromJsonAsync<JsonElement>("/health/ready", TestContext.Current.CancellationToken);
        var check = report.GetProperty("checks").GetProperty("backends");
        return $"{check.GetProperty("status")} {(check.TryGetProperty("description", out var description) ? description : "")}";
    }

    private static int Lines(WorkflowUnderTest workflow, string text) =>
        workflow.Host.Logs.Lines.Count(line => line.Contains(text, StringComparison.Ordinal));

    /// <summary>Messages that got as far as the service that fails.</summary>
    private static int Tried(WorkflowUnderTest workflow) =>
        workflow.Backends.Calls.Count(call => call.Path.StartsWith("/api/deliveries", StringComparison.Ordinal));

    private static int TriedDrones(WorkflowUnderTest workflow) =>
        workflow.Backends.Calls.Count(call => call.Path.StartsWith("/api/dronedeliveries", StringComparison.Ordinal));

    private static IReadOnlyList<TimeSpan> Pauses(WorkflowUnderTest workflow) =>
    [
        .. workflow.Host.Logs.Lines
            .Where(line => line.Contains("received again after", StringComparison.Ordinal))
            .Select(line => TimeSpan.Parse(
                line.Split("after ")[1].Split(',', '\n', ' ')[0], System.Globalization.CultureInfo.InvariantCulture)),
    ];

    /// <summary>Its first pause fails.</summary>
    private sealed class FailingReceiver : IHeld
    {
        private int _pauses;

        public int Pauses => Volatile.Read(ref _pauses);

        public Task PauseAsync() =>
            Interlocked.Increment(ref _pauses) == 1 ? throw new InvalidOperationException("As the test wants it.") : Task.CompletedTask;

        public Task ResumeAsync(bool oneByOne, CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private static IEnumerable<Azure.Messaging.ServiceBus.ServiceBusMessage> Deliveries(int count) =>
        Enumerable.Range(0, count).Select(i => QueueMessages.Delivery(SampleRequests.Delivery($"order-{i}")));
}
