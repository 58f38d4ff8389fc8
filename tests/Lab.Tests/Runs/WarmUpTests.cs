namespace DroneDelivery.Lab.Tests.Runs;

[Trait("tier", "slow")]
public sealed class WarmUpTests
{
    [Fact]
    public async Task Each_back_end_that_was_started_has_worked_before_the_load()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0", "package.replicas=2");
        var warmUp = new WarmUp(
            running.Application, new QueueControl(running.Http, running.Plan.Broker), running.Http, TimeProvider.System);

        await warmUp.BackendsAsync(
            [(Service.Ingestion, 0), (Service.Package, 1), (Service.DroneScheduler, 0), (Service.Delivery, 0)],
            TestContext.Current.CancellationToken);

        const int All = WarmUp.CallsPerReplica;
        Assert.Equal(
            (All, All, All),
            (
                await running.AnswersAsync(Service.Package, 1, atLeast: All),
                await running.AnswersAsync(Service.DroneScheduler, 0, atLeast: All),
                await running.AnswersAsync(Service.Delivery, 0, atLeast: All)));
        Assert.Equal((0, 0), (await running.AnswersAsync(Service.Ingestion, 0), await running.AnswersAsync(Service.Package, 0)));
        // What it did is what a delivery does.
        Assert.Equal("owner-1", await OwnerAsync(Service.Package, "api/packages/warm-up-1-0"));
        Assert.Equal("owner-1", await OwnerAsync(Service.DroneScheduler, "api/dronedeliveries/warm-up-0-219"));
        Assert.Equal("owner-1", await OwnerAsync(Service.Delivery, "api/deliveries/warm-up-0-219"));

        async Task<string?> OwnerAsync(Service service, string path) =>
            (await running.GetAsync(running.Plan.Url(service, 0), path)).GetProperty("ownerId").GetString();
    }

    [Fact]
    public async Task An_Ingestion_that_a_stage_starts_has_worked_before_the_load_and_its_messages_are_gone()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0");
        var queue = new QueueControl(running.Http, running.Plan.Broker);
        var plan = RunPlan.Of(["2"], new(RunOptions.Quick, KnobSet.Empty, "none", "", running.Plan.Ports, 1, false)).Played.Single();
        var wanted = running.Plan with { Knobs = KnobSet.Parse(["workflow.replicas=0", "ingestion.replicas=2"]) };

        await new StageSetup(plan, wanted, running.Application, queue, running.Http, TimeProvider.System)
            .PrepareAsync(new Progress<(int, int)>(), TestContext.Current.CancellationToken);

        Assert.Equal(
            WarmUp.CallsPerReplica,
            await running.AnswersAsync(Service.Ingestion, 1, atLeast: WarmUp.CallsPerReplica));
        Assert.Equal(0, (await queue.ReadAsync(TestContext.Current.CancellationToken)).Queued);
    }

    [Fact]
    public async Task A_stage_that_begins_with_messages_begins_with_a_Workflow_that_has_worked()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0");
        var queue = new QueueControl(running.Http, running.Plan.Broker);
        var knobs = KnobSet.Parse(["queue.messagesAtStart=80"]);
        var plan = RunPlan.Of(["5"], new(RunOptions.Quick, knobs, "none", "", running.Plan.Ports, 1, false)).Played.Single();
        var wanted = running.Plan with { Knobs = KnobSet.Parse(["workflow.maxConcurrentCalls=4"]) };

        await new StageSetup(plan, wanted, running.Application, queue, running.Http, TimeProvider.System)
            .PrepareAsync(new Progress<(int, int)>(), TestContext.Current.CancellationToken);

        var counters = await queue.ReadAsync(TestContext.Current.CancellationToken);
        Assert.InRange(counters.Completed, 12, 12 + plan.MessagesAtStart); // those of the stage are due soon
        Assert.Equal(12 + plan.MessagesAtStart, counters.Completed + counters.Queued);
    }

    [Fact]
    public async Task A_delivery_that_somebody_sends_during_the_warm_up_stays_and_those_that_warmed_up_are_gone()
    {
        await using var running = await RunningApplication.StartAsync("none");
        var queue = new QueueControl(running.Http, running.Plan.Broker);
        var sent = await new Journeys(running.Http, TimeProvider.System, running.Plan.Urls(Service.Ingestion))
            .SendAsync(1, 1, TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);

        await new WarmUp(running.Application, queue, running.Http, TimeProvider.System)
            .LeaveNoTraceAsync(TestContext.Current.CancellationToken);

        var delivery = await running.GetAsync(running.Plan.Url(Service.Delivery, 0), $"api/deliveries/{Assert.Single(sent).DeliveryId}");
        Assert.Equal("owner-1", delivery.GetProperty("ownerId").GetString());
        using var redis = await RedisServer.OpenAsync(running.Plan.RedisConnectionString);
        var stored = redis.GetServer(running.Plan.RedisConnectionString).Keys(pattern: "delivery:*");
        Assert.All(stored, key => Assert.StartsWith($"delivery:{sent[0].DeliveryId}", key, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(3, 4)]
    [InlineData(60, 30)] // not for ever
    public async Task The_load_waits_until_nothing_is_compiled_any_more(double busySeconds, double waitedSeconds)
    {
        var clock = new SkippingTime();
        var began = clock.GetTimestamp();

        // They use two cores, then a tenth of one.
        await WarmUp.QuietAsync(Cpu, clock, TestContext.Current.CancellationToken);

        Assert.Equal(TimeSpan.FromSeconds(waitedSeconds), Elapsed());

        TimeSpan Cpu() => 1.9 * Min(Elapsed(), TimeSpan.FromSeconds(busySeconds)) + 0.1 * Elapsed();
        TimeSpan Elapsed() => clock.GetElapsedTime(began);
        static TimeSpan Min(TimeSpan a, TimeSpan b) => a < b ? a : b;
    }

    [Fact]
    public async Task The_memory_of_Redis_is_limited_when_what_was_stored_before_is_gone()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0");
        var queue = new QueueControl(running.Http, running.Plan.Broker);
        var knobs = KnobSet.Parse(["redis.deliveriesThatFit=80", "load.instructions=17000"]);
        var plan = RunPlan.Of(["2"], new(RunOptions.Quick, knobs, "none", "", running.Plan.Ports, 1, false)).Played.Single();
        using (var redis = await RedisServer.OpenAsync(running.Plan.RedisConnectionString))
            await redis.GetDatabase().StringSetAsync("stored before", new string('x', 32 << 20));

        await new StageSetup(plan, running.Plan, running.Application, queue, running.Http, TimeProvider.System)
            .PrepareAsync(new Progress<(int, int)>(), TestContext.Current.CancellationToken);

        // Shortened by 8, ten deliveries of 21 kB fit beside what clients take.
        var status = await RedisServer.ReadAsync(running.Plan.RedisConnectionString);
        Assert.Equal(0, status.Keys);
        Assert.InRange(status.MaxMemory, 100_000, 16 << 20);
    }

    [Fact]
    public async Task A_warm_up_that_nobody_works_on_ends_in_a_sentence()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0");
        var queue = new QueueControl(running.Http, running.Plan.Broker);

        var warmUp = new WarmUp(running.Application, queue, running.Http, new FleetingTime());
        var end = await Assert.ThrowsAsync<LabException>(
            () => warmUp.WorkflowAsync([(Service.Workflow, 0)], TestContext.Current.CancellationToken));

        Assert.Contains("60 of 60 messages that were sent to warm up are still in the queue", end.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_Workflow_that_dies_before_it_has_warmed_up_is_a_crash_and_no_wait()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0");
        var plan = RunPlan.Of(["2"], new(RunOptions.Quick, KnobSet.Empty, "none", "", running.Plan.Ports, 1, false)).Played.Single();
        var setup = new StageSetup(
            plan,
            running.Plan with { Knobs = KnobSet.Empty },
            running.Application,
            new QueueControl(running.Http, running.Plan.Broker),
            running.Http,
            TimeProvider.System);

        var crash = await Assert.ThrowsAsync<CrashException>(() => setup
            .PrepareAsync(new KillsWorkflow(running.Application), TestContext.Current.CancellationToken)
            .WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));

        Assert.Equal("workflow-0", crash.Process);
    }

    /// <summary>A clock on which every wait is over at once, and has taken as long as it should.</summary>
    private sealed class SkippingTime : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Read(ref _now);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Interlocked.Add(ref _now, dueTime.Ticks);
            return base.CreateTimer(callback, state, TimeSpan.Zero, period);
        }
    }

    /// <summary>Once everything is ready.</summary>
    private sealed class KillsWorkflow(Application application) : IProgress<(int Ready, int All)>
    {
        public void Report((int Ready, int All) value)
        {
            if (value.Ready < value.All)
                return;
            using var workflow = Process.GetProcessById(application[Service.Workflow, 0].Id);
            workflow.Kill();
        }
    }
}
