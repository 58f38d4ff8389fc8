namespace DroneDelivery.Lab.Tests.Report;

/// <summary>The charts of a stage, with a second queue for failed messages.</summary>
public sealed class StageChartsTests
{
    [Theory]
    [InlineData("1")]
    [InlineData("4")]
    public void Line_has_one_value_per_time_in_order(string id)
    {
        var charts = ChartsOf(id);

        Assert.Contains($"backlog-{id}", charts.Keys);
        foreach (var line in charts.Values.SelectMany(chart => chart.Lines))
            Assert.Equal(line.Points.Select(point => point.X).Distinct().Order(), line.Points.Select(point => point.X));
    }

    [Fact]
    public void Age_chart_of_completed_messages_excludes_others()
    {
        var charts = ChartsOf("4");

        // After 8 s, every lock has expired. A point covers 5 s.
        Assert.InRange(charts["completed-age-4"].Lines[0].Points[^1].X, 1, 13);
        Assert.InRange(charts["age-4"].Lines[0].Points[^1].X, 60, 80);
    }

    private static Dictionary<string, LineChart> ChartsOf(string id)
    {
        var stage = FakeRun.Shared.Record.Stages.Single(it => it.Stage == id);
        var charts = new StageCharts(stage, StageTelemetry.Of(FakeRun.Shared.Telemetry, stage)!);
        return charts.All().ToDictionary(panel => panel.Chart.Id, panel => panel.Chart);
    }
}
