namespace DroneDelivery.Lab.Tests.Runs;

[Collection<PlainApplication>]
public sealed class WarmUpTests(PlainApplication shared)
{
    [Fact]
    [Trait("tier", "slow")]
    public async Task Warmup_reaches_each_started_back_end()
    {
        var running = await shared.WithAsync("workflow.replicas=0", "package.replicas=2");
        var warmUp = new WarmUp(
            running.Application,
            new QueueControl(running.Http, running.Plan.Broker),
            running.Http,
            TimeProvider.System
        );

        (Service, int)[] backends = [(Service.Package, 1), (Service.DroneScheduler, 0), (Service.Delivery, 0)];
        (Service, int)[] others = [(Service.Ingestion, 0), (Service.Package, 0)];
        var before = new Dictionary<(Service, int), int>();
        foreach (var (service, replica) in backends.Concat(others))
            before[(service, replica)] = await running.AnswersAsync(service, replica);
        await warmUp.BackendsAsync([(Service.Ingestion, 0), .. backends], Cancel);

        foreach (var (service, replica) in backends)
        {
            var expected = before[(service, replica)] + WarmUp.CallsPerReplica;
            Assert.Equal(expected, await running.AnswersAsync(service, replica, atLeast: expected));
        }
        foreach (var (service, replica) in others)
            Assert.Equal(before[(service, replica)], await running.AnswersAsync(service, replica));

        Assert.Equal("owner-1", await OwnerAsync(Service.Package, "api/packages/warm-up-1-0"));
        Assert.Equal("owner-1", await OwnerAsync(Service.DroneScheduler, "api/dronedeliveries/warm-up-0-219"));
        Assert.Equal("owner-1", await OwnerAsync(Service.Delivery, "api/deliveries/warm-up-0-219"));

        warmUp = new(
            running.Application,
            new QueueControl(running.Http, running.Plan.Broker),
            running.Http,
            new FastTime()
        );
        var end = await Assert.ThrowsAsync<LabException>(() => warmUp.WorkflowAsync([(Service.Workflow, 0)], Cancel));
        Assert.Contains("60 of 60 warm-up messages are still in the queue", end.Message, StringComparison.Ordinal);

        async Task<string?> OwnerAsync(Service service, string path) =>
            (await running.GetAsync(running.Plan.Url(service, 0), path)).GetProperty("ownerId").GetString();
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task Stage_starts_with_warm_services_and_no_old_messages_or_data()
    {
        var running = await shared.WithAsync("workflow.replicas=0");
        var before = await running.QueueAsync();
        await Setup(running, "5", ["queue.messagesAtStart=80"], "workflow.maxConcurrentCalls=4")
            .PrepareAsync(new Progress<(int, int)>(), Cancel);
        var counters = (await running.QueueAsync()).Since(before);
        Assert.InRange(counters.Completed, 12, 12 + 80 / RunOptions.Quick); // Those of the stage are due soon.
        Assert.Equal(12 + 80 / RunOptions.Quick, counters.Completed + counters.Queued);

        using (var redis = await RedisServer.OpenAsync(running.Plan.RedisConnectionString))
            await redis.GetDatabase().StringSetAsync("stored before", new string('x', 32 << 20));

        string[] knobs = ["redis.deliveriesThatFit=80", "load.instructions=17000"];
        await Setup(running, "2", knobs, "workflow.replicas=0", "ingestion.replicas=2")
            .PrepareAsync(new Progress<(int, int)>(), Cancel);

        Assert.Equal(
            WarmUp.CallsPerReplica,
            await running.AnswersAsync(Service.Ingestion, 1, atLeast: WarmUp.CallsPerReplica)
        );
        Assert.Equal(0, (await running.QueueAsync()).Queued);
        // Shortened by 8, ten deliveries of 21 kB fit, in addition to the memory of clients.
        var status = await RedisServer.ReadAsync(running.Plan.RedisConnectionString);
        Assert.Equal(0, status.Keys);
        Assert.InRange(status.MaxMemory, 100_000, 16 << 20);

        var crash = await Assert.ThrowsAsync<CrashException>(() =>
            Setup(running, "2", []).PrepareAsync(new KillsWorkflow(running.Application), Cancel)
        );
        Assert.Equal("workflow-0", crash.Process);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(3, 4)]
    [InlineData(60, 30)] // Not longer.
    public async Task Load_waits_until_compilation_has_finished(double busySeconds, double waitedSeconds)
    {
        var clock = new FastTime(perReading: TimeSpan.Zero);
        var began = clock.GetTimestamp();

        // They use two cores, and then a tenth of one.
        await WarmUp.QuietAsync(Cpu, clock, Cancel);

        Assert.Equal(TimeSpan.FromSeconds(waitedSeconds), Elapsed());

        TimeSpan Cpu() => 1.9 * Min(Elapsed(), TimeSpan.FromSeconds(busySeconds)) + 0.1 * Elapsed();
        TimeSpan Elapsed() => clock.GetElapsedTime(began);
        static TimeSpan Min(TimeSpan a, TimeSpan b) => a < b ? a : b;
    }

    private static StageSetup Setup(RunningApplication running, string stage, string[] knobs, params string[] wanted)
    {
        var options = new RunOptions(RunOptions.Quick, KnobSet.Parse(knobs), "none", "", running.Plan.Ports, 1, false);
        return new(
            RunPlan.Of([stage], options).Played.Single(),
            running.Plan with
            {
                Knobs = KnobSet.Parse(wanted),
            },
            running.Application,
            new QueueControl(running.Http, running.Plan.Broker),
            running.Http,
            TimeProvider.System
        );
    }

    private sealed class KillsWorkflow(Application application) : IProgress<(int Ready, int All)>
    {
        public void Report((int Ready, int All) value)
        {
            if (value.Ready == value.All)
                Kill(application[Service.Workflow, 0].Id);
        }
    }
}
