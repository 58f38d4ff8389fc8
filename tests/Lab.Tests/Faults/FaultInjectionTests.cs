namespace DroneDelivery.Lab.Tests.Faults;

[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class FaultInjectionTests
{
    [Fact]
    public async Task Each_fault_happens_when_it_is_time_and_is_mended()
    {
        await using var running = await RunningApplication.StartAsync(
            "azure-2020",
            "workflow.replicas=2",
            "nodes.count=6"
        );
        var killed = running.Application.Find("workflow-1")!;

        await InjectAsync(running, "kill workflow-1 at 8s for 8s");
        Assert.True(killed.Ended.IsCompleted);
        Assert.NotEqual(killed.Id, running.Application.Find("workflow-1")!.Id);
        Assert.False(running.Application.Crashed.IsCompleted);

        var redis = running.Plan.RedisConnectionString;
        var limit = (await RedisServer.ReadAsync(redis)).MaxMemory;
        await InjectAsync(running, "fill redis at 0s for 24s", () =>
            UntilAsync(() => RedisServer.ReadAsync(redis), status => status.MaxMemory == 1)
        );
        Assert.Equal(limit, (await RedisServer.ReadAsync(redis)).MaxMemory);

        Assert.InRange(await LongestReadAsync(running, "pause broker at 0s for 24s"), 2.5, 30);
        Assert.InRange(await LongestReadAsync(running, "kill package at 0s for 24s"), 0, 2.5);
    }

    [Fact]
    public async Task The_end_of_the_stage_mends_what_would_last_longer()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020");
        var redis = running.Plan.RedisConnectionString;
        using var over = new CancellationTokenSource();

        string[] lasting =
        [
            "fill redis at 0s",
            "pause broker at 4000s for 1s",
            "slow delivery x1000 at 0s",
            "kill package at 0s",
        ];
        var faults = Injection(running, lasting).RunAsync(over.Token);
        await UntilAsync(() => RedisServer.ReadAsync(redis), status => status.MaxMemory == 1);
        await UntilAsync(() => running.Application.Find("package-0")!.Ended.IsCompleted);
        await over.CancelAsync();
        await faults;

        Assert.NotEqual(1, (await RedisServer.ReadAsync(redis)).MaxMemory);
        Assert.True(running.Application.Find("package-0")!.Ended.IsCompleted); // the next stage starts it
        await running.Application.ApplyAsync(running.Plan, new Progress<(int, int)>(), Cancel);
        Assert.All(await running.SendAsync(2, 2), journey => Assert.Null(journey.Failure));
    }

    [Fact]
    public async Task A_replica_that_is_killed_meanwhile_is_like_the_others_once_it_runs_again()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020", "package.replicas=2");
        using var over = new CancellationTokenSource();
        var killed = running.Application.Find("package-1")!;

        string[] together =
        [
            "kill package-1 at 0s for 40s",
            "kill delivery at 0s",
            "fail package 100% at 8s",
            "slow delivery x2 at 8s",
        ];
        var faults = Injection(running, together).RunAsync(over.Token);
        while (await AnswerAsync(running, replica: 1) != HttpStatusCode.ServiceUnavailable && !faults.IsCompleted)
            await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.NotEqual(killed.Id, running.Application.Find("package-1")!.Id);
        await over.CancelAsync();
        await faults;

        Assert.Equal(HttpStatusCode.NotFound, await AnswerAsync(running, replica: 0));
        Assert.Equal(HttpStatusCode.NotFound, await AnswerAsync(running, replica: 1));
    }

    /// <returns>Null: it does not run.</returns>
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

    /// <returns>Seconds that the longest of the readings of the queue took while the fault lasted.</returns>
    private static async Task<double> LongestReadAsync(RunningApplication running, string fault)
    {
        var longest = 0.0;
        await InjectAsync(running, fault, async () =>
        {
            for (var watch = Stopwatch.StartNew(); watch.Elapsed < TimeSpan.FromSeconds(3); )
            {
                var began = watch.Elapsed;
                await running.QueueAsync();
                longest = Math.Max(longest, (watch.Elapsed - began).TotalSeconds);
            }
        });
        return longest;
    }

    private static async Task InjectAsync(RunningApplication running, string fault, Func<Task>? meanwhile = null)
    {
        var faults = Injection(running, fault).RunAsync(Cancel);
        await (meanwhile?.Invoke() ?? Task.CompletedTask);
        await faults;
    }

    private static FaultInjection Injection(RunningApplication running, params string[] faults)
    {
        var options = new RunOptions(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), Seed: 1, Open: false)
        {
            Faults = [.. faults.Select(StageFault.Parse)],
        };
        return new(StagePlan.Of(Stage.Load("2"), options), running.Application, running.Http, TimeProvider.System);
    }
}
