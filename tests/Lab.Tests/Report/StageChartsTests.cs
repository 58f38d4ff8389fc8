namespace DroneDelivery.Lab.Tests.Report;

/// <summary>The charts of a stage, while the broker has a second queue for what Workflow has given up.</summary>
public sealed class StageChartsTests
{
    [Theory]
    [InlineData("1")]
    [InlineData("4")]
    public void A_line_has_one_value_at_a_time_and_goes_from_left_to_right(string id)
    {
        var charts = ChartsOf(id);

        Assert.Contains($"backlog-{id}", charts.Keys);
        foreach (var line in charts.Values.SelectMany(chart => chart.Lines))
            Assert.Equal(line.Points.Select(point => point.X).Distinct().Order(), line.Points.Select(point => point.X));
    }

    [Fact]
    public void Messages_that_were_handled_and_not_completed_are_not_among_the_ages_of_completed_ones()
    {
        var charts = ChartsOf("4");

        // After 8 s every lock is lost. A point stands for 5 s.
        Assert.InRange(charts["completed-age-4"].Lines[0].Points[^1].X, 1, 13);
        Assert.InRange(charts["age-4"].Lines[0].Points[^1].X, 60, 80);
    }

    private static Dictionary<string, LineChart> ChartsOf(string id)
    {
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == id);
        var charts = new StageCharts(stage, StageTelemetry.Of(ImitatedRun.Shared.Telemetry, stage)!);
        return charts.All().ToDictionary(panel => panel.Chart.Id, panel => panel.Chart);
    }
}
