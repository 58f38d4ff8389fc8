namespace DroneDelivery.Lab.Tests.Report;

public sealed class AllRunsReportTests
{
    private static readonly RunRecord Run = ImitatedRun.Shared.Record;

    [Fact]
    public void The_newest_run_comes_first_and_leads_to_its_report_if_it_has_one()
    {
        var page = Render(new KeptRun("2030-01-01 a&b", Run, true), new KeptRun("2030-01-02", Run, false));

        Assert.True(
            page.IndexOf("2030-01-02", StringComparison.Ordinal) < page.IndexOf("2030-01-01", StringComparison.Ordinal)
        );
        Assert.Contains(
            "<a href=\"2030-01-01%20a%26b/report.html\">2030-01-01 a&b</a>",
            page,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("href=\"2030-01-02", page, StringComparison.Ordinal);
    }

    [Fact]
    public void A_figure_has_a_dot_with_its_interval_for_each_run_and_a_line_for_the_prediction()
    {
        KeptRun[] runs = [Older(Kept("0", 0)), Kept("1", 12.0), Kept("2", 12.4), Kept("3", 13.1, changed: true)];
        LiveLab.Leave("all-runs.html", new AllRunsReport(runs, []).Render());
        var page = Render(runs);
        var chart = Regex
            .Match(
                page,
                "<figure class=\"dots\"[^>]*>\\s*<figcaption[^>]*>completed.plateau<.*?</figure>",
                RegexOptions.Singleline
            )
            .Value;

        Assert.Equal(3, Regex.Count(chart, "<circle"));
        Assert.Single(Regex.Matches(chart, "<g class=\"dot changed\">"));
        AssertLacks(chart, "2029");
        AssertHas(chart, "class=\"predicted\"", "13.1/s in the newest. 12–12.4 in 2 unchanged runs.");
        var interval = Regex.Match(chart, "<path class=\"interval\" d=\"M[0-9.]+ ([0-9.]+)V([0-9.]+)\"/>");
        Assert.NotEqual(interval.Groups[1].Value, interval.Groups[2].Value);
        Assert.Matches("<td class=\"number\">12.4 ± [0-9.]+/s</td>", page);
    }

    [Fact]
    public void Runs_of_different_lengths_are_apart_one_alone_is_no_trend_and_what_proves_nothing_is_in_none()
    {
        var kept = Kept("2", 500);
        var page = Render(
            Kept("1", 12),
            Kept("3", 12),
            Kept("4", 12) with
            {
                Run = Kept("4", 12).Run with { K = 1 },
            },
            kept with
            {
                Run = kept.Run with { Stages = [kept.Run.Stages[0] with { Outcome = Outcomes.Void }] },
            }
        );

        AssertHas(page, "id=\"stage-2-by-8\"", "2 runs, the oldest first");
        AssertLacks(page, "id=\"stage-2-by-1\"", "500 ±");
    }

    private static string Render(params KeptRun[] runs) => WebUtility.HtmlDecode(new AllRunsReport(runs, []).Render());

    /// <summary>Of a lab that did not measure the figure.</summary>
    private static KeptRun Older(KeptRun kept)
    {
        var stage = kept.Run.Stages[0];
        var figures = stage.Figures.Where(it => it.Key != "completed.plateau").ToDictionary();
        return kept with
        {
            Run = kept.Run with
            {
                Stages = [stage with { StartedAt = stage.StartedAt.AddYears(-1), Figures = figures }],
            },
        };
    }

    private static KeptRun Kept(string name, double plateau, bool changed = false)
    {
        var stage = Run.Stages.Single(it => it.Stage == "2");
        var figures = stage.Figures.ToDictionary();
        figures["completed.plateau"] = figures["completed.plateau"] with { Value = plateau };
        var measured = stage with { Figures = figures, Outcome = Outcomes.Holds, Differences = changed ? ["a=1"] : [] };
        return new(name, Run with { Stages = [measured] }, true);
    }
}
