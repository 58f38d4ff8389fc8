namespace DroneDelivery.Lab.Tests.Telemetry;

[Collection<ObservedRun>]
[Trait("tier", "slow")]
public sealed class StageTelemetryTests(ObservedRun run)
{
    [Fact]
    public void Metrics_of_a_stage_match_the_brokers_counts()
    {
        string[] counts = ["accepted", "completed", "unaccounted", "acceptedDifference", "completedDifference"];
        var (first, second) = (run.LiveFigures[0], run.LiveFigures[1]);

        Assert.Equal(
            [ObservedRun.InFirstStage, ObservedRun.InFirstStage, 0, 0, 0],
            counts.Select(name => first[$"telemetry.{name}"])
        );
        Assert.Equal([ObservedRun.InSecondStage, 0, 0, 0, 0], counts.Select(name => second[$"telemetry.{name}"]));
        Assert.Equal([$"{ObservedRun.InSecondStage}"], run.AskFile("conservation", "queued", run.Second));
    }

    [Fact]
    public void Metrics_of_a_stage_without_failures_show_none()
    {
        var figures = run.LiveFigures[0];

        Assert.Equal(
            (0, 0, 0, double.NaN),
            (
                figures["telemetry.lockLost"],
                figures["telemetry.cacheFull"],
                figures["telemetry.deadLetterFailed"],
                figures["telemetry.firstError"]
            )
        );
        Assert.True(figures["telemetry.processMean"] > 0);
    }

    [Fact]
    public void File_contains_the_stages_with_their_metrics()
    {
        Assert.Equal([run.First, run.Second], run.FromDisk.Stages());
        Assert.Equal(run.LiveFigures[0], run.FromDisk.Figures(run.First));
    }
}
