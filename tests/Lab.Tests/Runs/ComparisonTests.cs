namespace DroneDelivery.Lab.Tests.Runs;

public sealed class ComparisonTests
{
    private static readonly Imitation Serial = new("2") { Capacity = 12.2 };

    [Theory]
    // A rate, by its events: 24 s with all users.
    [InlineData("completed.plateau", 12.2, 14, false)]
    [InlineData("completed.plateau", 12.2, 15, true)]
    [InlineData("completed.peak", 12.2, 16, false)] // 5 s have fewer
    [InlineData("completed.peak", 12.2, 18, true)]
    [InlineData("backlog.slope", 0, 5, false)] // what comes in and what goes out
    [InlineData("backlog.slope", 0, 9, true)]
    // A count.
    [InlineData("accepted", 3375, 3530, false)]
    [InlineData("accepted", 3375, 3560, true)]
    [InlineData("lockLost", 3.4, 5.8, false)] // when the load ended, between two samples
    [InlineData("http.5xx", 0, 4, false)]
    [InlineData("http.5xx", 0, 5, true)]
    // A ratio, by what is above the line and below it.
    [InlineData("completed.perSent", 0.2, 0.22, false)]
    [InlineData("completed.perSent", 0.2, 0.25, true)]
    [InlineData("unsettled.perPrefetch", 1, 2, true)]
    // Durations, and what no events stand behind.
    [InlineData("telemetry.processMean", 246, 256, false)]
    [InlineData("telemetry.processMean", 246, 270, true)]
    [InlineData("machine.cpu", 8, 12, false)]
    [InlineData("machine.cpu", 8, 13, true)]
    // A message that is lost is never chance.
    [InlineData("unaccounted", 0, 1, true)]
    [InlineData("telemetry.unaccounted", 0, -1, true)]
    public void Noise_of_single_runs_is_the_chance_of_their_own_events(
        string figure,
        double first,
        double second,
        bool isBeyond
    )
    {
        var run = Run(Serial).Stages[0];
        var there = FigureDifference.Of(
            FigureTable.Find(figure),
            [With(run, figure, first)],
            [With(run, figure, second)]
        )!;
        var back = FigureDifference.Of(
            FigureTable.Find(figure),
            [With(run, figure, second)],
            [With(run, figure, first)]
        )!;

        Assert.Equal((isBeyond, isBeyond), (there.IsBeyondNoise, back.IsBeyondNoise));
        Assert.Equal(isBeyond ? "more than noise" : "within noise", there.Verdict);
    }

    [Fact]
    public void Noise_of_repeated_runs_is_their_spread()
    {
        var repeated = new[] { 1.0, 2, 3 };

        Assert.Equal(4.303 * Math.Sqrt(1 / 3.0), new Repeats(repeated).HalfWidth, 6);
        Assert.Equal(2.776 * Math.Sqrt(2 / 3.0), Repeats.HalfWidthBetween(new(repeated), new([4, 5, 6])), 6); // Welch, 4 degrees
        Assert.Equal(
            2.571 * Math.Sqrt(1 / 3.0 + 10 / 5.0),
            Repeats.HalfWidthBetween(new([1, 2, 3]), new([4, 6, 8, 10, 12])),
            6
        ); // 5.2
        Assert.Equal(4.303 * Math.Sqrt(4 / 3.0), Repeats.HalfWidthBetween(new(repeated), new([4])), 6);
        Assert.True(double.IsNaN(Repeats.HalfWidthBetween(new([1]), new([2]))));
    }

    [Theory]
    [InlineData(12.9, true)]
    [InlineData(12.5, false)]
    public void Repeated_runs_show_differences_that_single_ones_cannot(double capacity, bool isSeen)
    {
        RunRecord[] before = [.. new[] { 12.2, 12.3, 12.4 }.Select(it => Run(Serial with { Capacity = it }))];
        RunRecord[] after = [.. new[] { -0.1, 0, 0.1 }.Select(it => Run(Serial with { Capacity = capacity + it }))];

        var seen = Comparison.Of(before, after).Figures.FirstOrDefault(figure => figure.Figure == "completed.plateau");

        Assert.Equal(isSeen, seen is not null);
        Assert.True(seen is null || seen.Basis == "spread of 3 and 3 runs", seen?.Basis);
        Assert.DoesNotContain(Comparison.Of([before[1]], [after[1]]).Figures, figure =>
            figure.Figure == "completed.plateau"
        );
    }

    [Fact]
    public void Runs_on_one_side_have_the_same_knobs() =>
        Assert.StartsWith(
            "workflow.maxConcurrentCalls of stage 2 is 1 in one and 2 in another",
            Assert
                .Throws<BadInputException>(() =>
                    Comparison.Of([Run(Serial), Run(Serial, "workflow.maxConcurrentCalls=2")], [Run(Serial)])
                )
                .Message,
            StringComparison.Ordinal
        );

    [Fact]
    public void Both_are_drawn_on_one_axis_with_the_figures_that_differ_beside_the_noise()
    {
        var fast = Run(Serial with { Capacity = 24.4 }, "workflow.maxConcurrentCalls=2");
        var page = ComparisonReport.Of("before", [Run(Serial)], "after", [fast]).Render();
        var chart = page[page.IndexOf("<figure class=\"chart\" id=\"throughput-2\"", StringComparison.Ordinal)..];
        chart = chart[..chart.IndexOf("</figure>", StringComparison.Ordinal)];

        Assert.Equal(2, Regex.Count(chart, "<path class=\"line"));
        Assert.Contains("Best 5 seconds: 12.2/s in the first, 24.4/s in the second.", chart, StringComparison.Ordinal);
        Assert.Contains("<td>completed.peak</td>", page, StringComparison.Ordinal);
        Assert.Contains("<svg class=\"band\"", page, StringComparison.Ordinal);
        Assert.Contains(
            "<td>workflow.maxConcurrentCalls</td><td>1</td><td class=\"strong\">2</td>",
            page,
            StringComparison.Ordinal
        );
        Assert.DoesNotMatch("src=|<link|href=\"(?!#)", page);
    }

    [Fact]
    public void What_a_replay_does_not_know_is_left_out_and_the_rest_is_drawn()
    {
        var (own, replay) = (Run(Serial), Run(Serial, Sources.Stocks | Sources.Rates));

        foreach (var (one, other) in new[] { (own, replay), (replay, own) })
        {
            var page = ComparisonReport.Of("one", [one], "other", [other]).Render();
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
    public async Task The_verb_leaves_a_page_beside_the_second_run()
    {
        using var runs = new OwnFolder();
        foreach (var (name, run) in new[] { ("a", Run(Serial)), ("b", Run(Serial with { Capacity = 24.4 })) })
            RunReport.Keep(Path.Combine(runs.Path, name), run, telemetry: null);
        var (first, second) = (Path.Combine(runs.Path, "a"), Path.Combine(runs.Path, "b"));

        var (exitCode, output, error) = await LabInMemory.TypeAsync("compare", first, second);
        var json = await LabInMemory.TypeAsync("compare", first, second, "--json");

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
    public void The_page_of_results_has_every_check_with_prediction_measurement_and_verdict_and_notes_once()
    {
        var run = Run(Serial);
        var page = ResultsPage.Of([run]);

        AssertHas(
            page,
            "2 cores, 8 GiB, Linux, .NET 10, load by own, commit abc1234.",
            "| 2c | the best 5 s complete what three serial handlers can | about 16/s | 13/s | 12.2/s | as predicted | 10–18/s | holds |",
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

    private static RunRecord Run(Imitation imitation, params string[] knobs) =>
        Run(imitation, Sources.Everything, knobs);

    private static RunRecord Run(Imitation imitation, Sources told, params string[] knobs) =>
        PlayedByArithmetic.Run(
            string.Concat(knobs.Select(knob => $" --set {knob}").Prepend($"run {imitation.Stage}")),
            _ => imitation.Measure() with { Told = told }
        );
}
