namespace DroneDelivery.Lab.Tests.Runs;

public sealed class ComparisonTests
{
    private static readonly ComputedStage Serial = new("2") { Capacity = 12.2 };

    [Theory]
    // A rate has a relative tolerance.
    [InlineData("completed.plateau", 12.2, 13.4, false)]
    [InlineData("completed.plateau", 12.2, 14, true)]
    // A count has a relative tolerance, and random variation if small.
    [InlineData("accepted", 3375, 3800, false)]
    [InlineData("accepted", 3375, 4000, true)]
    [InlineData("http.5xx", 0, 4, false)]
    [InlineData("http.5xx", 0, 5, true)]
    // A ratio, a duration, and a share of the machine.
    [InlineData("completed.perSent", 0.2, 0.24, false)]
    [InlineData("completed.perSent", 0.2, 0.3, true)]
    [InlineData("telemetry.processMean", 246, 270, false)]
    [InlineData("telemetry.processMean", 246, 280, true)]
    [InlineData("machine.cpu", 8, 10.5, false)]
    [InlineData("machine.cpu", 8, 12, true)]
    // A lost message is never noise.
    [InlineData("unaccounted", 0, 1, true)]
    [InlineData("telemetry.unaccounted", 0, -1, true)]
    public void Noise_is_a_share_of_a_metric_or_random_variation(
        string figure,
        double first,
        double second,
        bool isBeyond
    )
    {
        var run = Run(Serial).Stages[0];
        var (a, b) = (With(run, figure, first), With(run, figure, second));
        var there = FigureDifference.Of(FigureTable.Find(figure), a, b)!;
        var back = FigureDifference.Of(FigureTable.Find(figure), b, a)!;

        Assert.Equal((isBeyond, isBeyond), (there.IsBeyondNoise, back.IsBeyondNoise));
    }

    [Fact]
    public void Comparison_draws_both_runs_on_one_axis()
    {
        var fast = Run(Serial with { Capacity = 24.4 }, "workflow.maxConcurrentCalls=2");
        var page = new ComparisonReport("before", Run(Serial), "after", fast).Render();
        var chart = page[page.IndexOf("<figure class=\"chart\" id=\"throughput-2\"", StringComparison.Ordinal)..];
        chart = chart[..chart.IndexOf("</figure>", StringComparison.Ordinal)];

        Assert.Equal(2, Regex.Count(chart, "<path class=\"line"));
        Assert.Contains("Best 5 seconds: 12.2/s in the first, 24.4/s in the second.", chart, StringComparison.Ordinal);
        Assert.Contains("<td>completed.peak</td>", page, StringComparison.Ordinal);
        Assert.Contains("&#177; ", page, StringComparison.Ordinal);
        Assert.Contains(
            "<td>workflow.maxConcurrentCalls</td><td>1</td><td class=\"strong\">2</td>",
            page,
            StringComparison.Ordinal
        );
        Assert.DoesNotMatch("src=|<link|href=\"(?!#)", page);
    }

    [Fact]
    public void Comparison_omits_unavailable_metrics_of_a_replay()
    {
        var (own, replay) = (Run(Serial), Run(Serial, Sources.Stocks | Sources.Rates));

        foreach (var (one, other) in new[] { (own, replay), (replay, own) })
        {
            var page = new ComparisonReport("one", one, "other", other).Render();
            Assert.Equal(
                ["throughput-2", "backlog-2"],
                Regex.Matches(page, "<figure class=\"chart\" id=\"([^\"]+)\"").Select(chart => chart.Groups[1].Value)
            );
            Assert.Contains(
                "Best 5 seconds: 12.2/s in the first, 12.2/s in the second.",
                page,
                StringComparison.Ordinal
            );
        }
    }

    [Fact]
    public async Task Compare_writes_a_page_to_the_folder_of_the_second_run()
    {
        using var runs = new OwnFolder();
        foreach (var (name, run) in new[] { ("a", Run(Serial)), ("b", Run(Serial with { Capacity = 24.4 })) })
            RunReport.Keep(Path.Combine(runs.Path, name), run, telemetry: null);
        var (first, second) = (Path.Combine(runs.Path, "a"), Path.Combine(runs.Path, "b"));

        var (exitCode, output, error) = await LabInMemory.InvokeAsync("compare", first, second);
        var json = await LabInMemory.InvokeAsync("compare", first, second, "--json");

        Assert.Equal(0, exitCode);
        Assert.StartsWith("All knobs are the same.", output, StringComparison.Ordinal);
        Assert.Contains("completed.plateau", output, StringComparison.Ordinal);
        Assert.EndsWith(Path.Combine("b", "compare-a.html"), error.Trim(), StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(second, "compare-a.html")));
        Assert.Contains(JsonDocument.Parse(json.Output).RootElement.GetProperty("figures").EnumerateArray(), figure =>
            figure.GetProperty("figure").GetString() == "completed.plateau"
        );
    }

    [Fact]
    public void Results_page_lists_every_check_with_prediction_and_result()
    {
        var run = Run(Serial);
        var page = ResultsPage.Of([run]);

        AssertHas(
            page,
            "2 cores, 8 GiB, Linux, .NET 10, load by own, commit abc1234.",
            "| 2c | the best 5 s match three serial handlers | about 16/s | 13/s | 12.2/s | as predicted | 10–18/s | holds |",
            "`./lab run 2`"
        );
        Assert.Equal(2, ResultsPage.Of([run, run]).Split(run.Stages[0].Notes[0]).Length);
    }

    private static StageRecord With(StageRecord stage, string figure, double value) =>
        stage with
        {
            Figures = new Dictionary<string, FigureRecord>(stage.Figures)
            {
                [figure] = new(value, FigureTable.Find(figure).Unit, null, ""),
            },
        };

    private static RunRecord Run(ComputedStage computed, params string[] knobs) =>
        Run(computed, Sources.Everything, knobs);

    private static RunRecord Run(ComputedStage computed, Sources told, params string[] knobs) =>
        ComputedRun.Run(string.Concat(knobs.Select(knob => $" --set {knob}").Prepend($"run {computed.Stage}")), _ =>
            computed.Measure() with
            {
                Told = told,
            }
        );
}
