namespace DroneDelivery.Lab.Tests.Report;

/// <summary>The charts of a stage, while the broker has a second queue for what Workflow has given up.</summary>
public sealed class StageChartsTests
{
    [Theory]
    [InlineData("1")]
    [InlineData("4")]
    public void A_line_has_one_value_at_a_time_and_goes_from_left_to_right(string id)
    {
        var charts = ChartsOf(id).ToList();

        Assert.Contains(charts, chart => chart.Id == $"backlog-{id}");
        foreach (var line in charts.SelectMany(chart => chart.Lines))
            Assert.Equal(line.Points.Select(point => point.X).Distinct().Order(), line.Points.Select(point => point.X));
    }

    private static IEnumerable<LineChart> ChartsOf(string id)
    {
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == id);
        return new StageCharts(stage, StageTelemetry.Of(ImitatedRun.Shared.Telemetry, stage)!).All().Select(panel => panel.Chart);
    }
}
