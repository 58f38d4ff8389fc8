namespace DroneDelivery.Lab.Tests.Report;

/// <summary>The chart of how old messages are when they are completed.</summary>
public sealed class CompletedAgeTests
{
    [Fact]
    public void Messages_that_were_handled_and_not_completed_are_not_in_it()
    {
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == "4");
        var charts = new StageCharts(stage, StageTelemetry.Of(ImitatedRun.Shared.Telemetry, stage)!);
        double LastOf(string chart) => charts.Every().Single(it => it.Chart.Id == chart).Chart.Lines[0].Points.Max(point => point.X);

        // After 8 s every lock is lost. A point stands for 5 s.
        Assert.InRange(LastOf("completed-age-4"), 1, 13);
        Assert.InRange(LastOf("age-4"), 60, 80);
    }
}
