namespace DroneDelivery.Lab.Tests.Faults;

[Collection<EmulatedApplication>]
[Trait("tier", "slow")]
public sealed class FaultInjectionTests(EmulatedApplication shared)
{
    [Fact]
    public async Task Each_fault_occurs_on_time_and_is_repaired()
    {
        var running = await shared.WithAsync("workflow.replicas=2", "nodes.count=6");
        var killed = running.Application.Find("workflow-1")!;

        await InjectAsync(
            running,
            "kill workflow-1 at 8s for 8s",
            before: () => Assert.False(killed.Ended.IsCompleted),
            during: async () =>
            {
                Assert.True(killed.Ended.IsCompleted);
                await running.QueueAsync(); // The broker still responds.
            }
        );
        Assert.NotEqual(killed.Id, running.Application.Find("workflow-1")!.Id);
        Assert.False(running.Application.Crashed.IsCompleted);

        var redis = running.Plan.RedisConnectionString;
        var limit = (await RedisServer.ReadAsync(redis)).MaxMemory;
        await InjectAsync(
            running,
            "fill redis at 8s for 24s",
            before: () => { },
            during: async () => Assert.Equal(1, (await RedisServer.ReadAsync(redis)).MaxMemory)
        );
        Assert.Equal(limit, (await RedisServer.ReadAsync(redis)).MaxMemory);

        var broker = running.Application.StoreOf("broker").Id;
        var reading = Task.FromResult(QueueCounters.Zero);
        await InjectAsync(
            running,
            "pause broker at 8s for 24s",
            before: () => Assert.False(IsPaused(broker)),
            during: async () =>
            {
                await UntilAsync(() => IsPaused(broker));
                reading = running.QueueAsync();
            }
        );
        await reading;
        Assert.False(IsPaused(broker));
    }

    [Fact]
    public async Task End_of_the_stage_repairs_lasting_faults()
    {
        var running = await shared.WithAsync();
        var redis = running.Plan.RedisConnectionString;
        using var over = new CancellationTokenSource();

        string[] lasting =
        [
            "fill redis at 0s",
            "pause broker at 4000s for 1s",
            "slow delivery x1000 at 0s",
            "kill package at 0s",
        ];
        var faults = Injection(running, new(), lasting).RunAsync(over.Token);
        await UntilAsync(() => RedisServer.ReadAsync(redis), status => status.MaxMemory == 1);
        await UntilAsync(() => running.Application.Find("package-0")!.Ended.IsCompleted);
        await over.CancelAsync();
        await faults;

        Assert.NotEqual(1, (await RedisServer.ReadAsync(redis)).MaxMemory);
        Assert.True(running.Application.Find("package-0")!.Ended.IsCompleted); // The next stage starts it.
        await running.Application.ApplyAsync(running.Plan, new Progress<(int, int)>(), Cancel);
        Assert.All(await running.SendAsync(2, 2), journey => Assert.Null(journey.Failure));
    }

    [Fact]
    public async Task Killed_replica_gets_active_faults_when_it_restarts()
    {
        var running = await shared.WithAsync("package.replicas=2");
        using var over = new CancellationTokenSource();
        var killed = running.Application.Find("package-1")!;

        string[] together =
        [
            "kill package-1 at 0s for 40s",
            "kill delivery at 0s",
            "fail package 100% at 8s",
            "slow delivery x2 at 8s",
        ];
        var clock = new ManualTimeProvider();
        var faults = Injection(running, clock, together).RunAsync(over.Token);
        // Advances until package-1 runs again, package fails, and delivery is slow.
        await UntilAsync(() => clock.PendingTimers == 3);
        clock.Advance(TimeSpan.FromSeconds(8.0 / RunOptions.Quick));
        await UntilAsync(() => AnswerAsync(running, replica: 0), status => status == HttpStatusCode.ServiceUnavailable);
        Assert.True(killed.Ended.IsCompleted);
        clock.Advance(TimeSpan.FromSeconds(32.0 / RunOptions.Quick));
        await UntilAsync(() => AnswerAsync(running, replica: 1), status => status == HttpStatusCode.ServiceUnavailable);
        Assert.NotEqual(killed.Id, running.Application.Find("package-1")!.Id);
        await over.CancelAsync();
        await faults;

        Assert.Equal(HttpStatusCode.NotFound, await AnswerAsync(running, replica: 0));
        Assert.Equal(HttpStatusCode.NotFound, await AnswerAsync(running, replica: 1));
    }

    /// <returns><c>null</c> if the replica isn't running.</returns>
    private static async Task<HttpStatusCode?> AnswerAsync(RunningApplication running, int replica)
    {
        try
        {
            var url = new Uri(running.Plan.Url(Service.Package, replica), "api/packages/none");
            using var answer = await running.Http.GetAsync(url, TestContext.Current.CancellationToken);
            return answer.StatusCode;
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }

    /// <param name="before">Runs just before the fault is due.</param>
    /// <param name="during">Runs while the fault lasts.</param>
    private static async Task InjectAsync(RunningApplication running, string fault, Action before, Func<Task> during)
    {
        var moment = TimeSpan.FromMilliseconds(1);
        var clock = new ManualTimeProvider();
        var faults = Injection(running, clock, fault).RunAsync(Cancel);
        clock.Advance(clock.UntilNextTimer!.Value - moment);
        before();
        clock.Advance(moment);
        await UntilAsync(() => clock.PendingTimers == 1 || faults.IsCompleted);
        Assert.False(faults.IsCompleted);
        await during();
        clock.Advance(clock.UntilNextTimer!.Value);
        await faults;
    }

    private static FaultInjection Injection(
        RunningApplication running,
        ManualTimeProvider clock,
        params string[] faults
    )
    {
        var options = new RunOptions(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), Seed: 1, Open: false)
        {
            Faults = [.. faults.Select(StageFault.Parse)],
        };
        return new(StagePlan.Of(Stage.Load("2"), options), running.Application, running.Http, clock);
    }
}
