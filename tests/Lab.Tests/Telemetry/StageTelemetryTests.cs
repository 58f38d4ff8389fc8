namespace DroneDelivery.Lab.Tests.Telemetry;

[Trait("tier", "slow")]
public sealed class StageTelemetryTests
{
    [Fact]
    public async Task From_telemetry_alone_and_as_the_broker_counts_while_it_is_played_and_from_disk()
    {
        await using var observed = await ObservedApplication.StartAsync();
        var (first, second) = await PlayTwoAsync(observed);

        var live = observed.Telemetry;
        var (one, two) = (live.Figures(first), live.Figures(second));
        string[] counts = ["accepted", "completed", "unaccounted", "acceptedDifference", "completedDifference"];
        Assert.Equal([10, 10, 0, 0, 0], counts.Select(name => one[$"telemetry.{name}"]));
        Assert.Equal([5, 0, 0, 0, 0], counts.Select(name => two[$"telemetry.{name}"]));
        Assert.Equal(
            (0, 0, 0, double.NaN),
            (
                one["telemetry.lockLost"],
                one["telemetry.cacheFull"],
                one["telemetry.deadLetterFailed"],
                one["telemetry.firstError"]
            )
        );
        Assert.True(one["telemetry.processMean"] > 0);
        Assert.Equal([5L], live.Ask("conservation", second, Cancel).Column("queued"));

        await observed.Collector.DisposeAsync();
        var kept = await RunTelemetry.LoadAsync(observed.Folder, _ => { }, Cancel);
        Assert.Equal([first, second], kept.Stages());
        Assert.Equal(one, kept.Figures(first));
    }

    // In the second nobody receives.
    private static async Task<(StageTimes First, StageTimes Second)> PlayTwoAsync(ObservedApplication observed)
    {
        await using var sampler = await RunSampler.StartAsync(
            observed.Collector,
            observed.Running.Plan.Broker,
            observed.Running.Plan.RedisConnectionString,
            null,
            TimeProvider.System,
            _ => { }
        );
        await observed.SendAsync(3);
        await observed.Collector.SettleAsync(Cancel); // before the first stage, as a warm-up is
        var start = await sampler.BeginStageAsync(Cancel);
        await observed.SendAsync(10);
        await observed.Running.Application.StopAsync(Service.Workflow);
        var first = await sampler.EndStageAsync("1", start, Cancel);
        start = await sampler.BeginStageAsync(Cancel);
        await observed.Running.PostAsync(5);
        return (first, await sampler.EndStageAsync("2", start, Cancel));
    }
}
