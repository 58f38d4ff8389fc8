using StackExchange.Redis;

namespace DroneDelivery.Lab.Tests.Faults;

/// <summary>A process is away for ten times as long as a lock lasts, under load: that costs time, and no delivery.</summary>
[Collection(SharedApplication.Name)]
[Trait("tier", "slow")]
public sealed class OutageTests(FaultyApplication faulty)
{
    private const int Locks = 10;
    private const int CallsPerSecond = 5;

    private static readonly TimeSpan Lasts = Locks * FaultyApplication.Lock;

    private RunningApplication Running => faulty.Running;

    [Theory]
    [InlineData("package")]
    [InlineData("dronescheduler")]
    [InlineData("delivery")]
    public async Task A_service_that_was_killed_is_hardly_called_and_all_is_delivered_when_it_is_back(string name)
    {
        var service = Service.Backends.Single(backend => backend.Name == name);
        await AssertAllIsDeliveredAsync(name, async () =>
        {
            await RunningApplication.KillAsync(Running.Application[service, 0]);
            await using (var dead = HangsUp.At(Running.Plan.Ports.Of(service, 0)))
            {
                await HeldAsync($"No message is received: {name}");
                var (before, began) = (dead.Calls, TimeProvider.System.GetTimestamp());
                await Task.Delay(Lasts, Cancel);
                await Processes.ChildProcessTests.UntilAsync(() => dead.Calls > before);

                var calls = dead.Calls - before;
                var seconds = TimeProvider.System.GetElapsedTime(began).TotalSeconds;
                TestContext.Current.TestOutputHelper?.WriteLine($"{name}: {calls} calls in {seconds:0.#} s");
                Assert.InRange(calls, 1, CallsPerSecond * seconds);
                await HeldAsync($"No message is received: {name}");
            }
            await Running.Application.RestartAsync($"{name}-0", Cancel);
        });
    }

    [Fact]
    public Task Redis_that_was_stopped_holds_receiving_and_all_is_delivered_when_it_is_back() =>
        AssertAllIsDeliveredAsync("redis", async () =>
        {
            await StopRedisAsync();
            await HeldAsync("No message is received: delivery");
            await Task.Delay(Lasts, Cancel);
            await HeldAsync("No message is received: delivery");
            await Running.Application.RestartAsync("redis", Cancel);
        });

    [Fact]
    public Task A_broker_that_hangs_loses_nothing_and_all_is_delivered_when_it_goes_on() =>
        AssertAllIsDeliveredAsync("broker", async () =>
        {
            var broker = faulty.Process("broker");
            await RunningApplication.SignalAsync(broker, "STOP");
            await Task.Delay(Lasts, Cancel);
            await RunningApplication.SignalAsync(broker, "CONT");
        });

    private async Task AssertAllIsDeliveredAsync(string batch, Func<Task> outage)
    {
        var before = await Running.QueueAsync();
        var orders = Orders.Start(Running, $"no-{batch}", _ => OrderKind.Delivered, pause: FaultyApplication.Lock / 10);
        await orders.WhenAcceptedAsync(20);
        await outage();
        await orders.StopAsync();
        await faulty.QuietAsync();

        var ends = await orders.EndsAsync();
        var queue = (await Running.QueueAsync()).Since(before);
        TestContext.Current.TestOutputHelper?.WriteLine($"{batch}: {ends.Count} orders, {queue.Redelivered} messages came again");
        Assert.All(ends.Values, status => Assert.Equal(DeliveryStage.Created, status.Stage));
        Assert.Equal(0, queue.DeadLettered);
    }

    /// <summary>It keeps what it has: of what it had acknowledged nothing is lost.</summary>
    private async Task StopRedisAsync()
    {
        using (var redis = await RedisServer.OpenAsync(Running.Plan.RedisConnectionString))
            redis.GetServer(Running.Plan.RedisConnectionString).Shutdown(ShutdownMode.Always);
        await faulty.Process("redis").Ended;
    }

    /// <summary>Each Workflow is ready, and says for whom it waits.</summary>
    private async Task HeldAsync(string why)
    {
        var began = TimeProvider.System.GetTimestamp();
        foreach (var workflow in Running.UrlsOf(Service.Workflow))
        {
            while (await BackendsAsync(workflow) is var said && !said.Contains(why, StringComparison.Ordinal))
            {
                Assert.True(TimeProvider.System.GetElapsedTime(began) < TimeSpan.FromSeconds(60), $"Workflow says '{said}'.");
                await Task.Delay(50, Cancel);
            }
        }
    }

    private async Task<string> BackendsAsync(Uri workflow) =>
        (await Running.GetAsync(workflow, "health/ready")).GetProperty("checks").GetProperty("backends").ToString();
}
