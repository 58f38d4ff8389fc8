using System.Globalization;

namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>What is kept of an experiment, and its page. It is left under artifacts, where report-browser opens it.</summary>
public sealed class ExperimentReportTests
{
    [Fact]
    public async Task The_page_shows_the_articles_table_beside_ours_and_says_the_arm()
    {
        var page = ExperimentReport.Render(await PlayedExperiment.RunAsync("disk-writes", ["share"]));

        Assert.Contains("8 of 8 checks hold.", page, StringComparison.Ordinal);
        Assert.Contains(">26308<", page, StringComparison.Ordinal);
        Assert.Contains("19,405", page, StringComparison.Ordinal);
        Assert.Contains(">emulated<", page, StringComparison.Ordinal);
        Assert.Contains("--heat:100%", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script src", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_id_of_a_report_of_all_experiments_is_given_once_and_every_chart_is_drawn()
    {
        ExperimentRecord[] records =
        [
            await PlayedExperiment.OfAsync("disk-writes", ["share"]),
            await PlayedExperiment.OfAsync("gateway-policies", ["return-response", "forward", "tiers"], "load.duration=130"),
            await PlayedExperiment.OfAsync("http-scale", ["c16", "c4"], "load.duration=30"),
            await PlayedExperiment.OfAsync("tracking-pixel", ["s1x5", "s1x10"], "load.users=1000"),
        ];

        var page = ExperimentReport.Render(PlayedExperiment.RunOf(records));
        LiveLab.Leave("experiments.html", page);

        var ids = Regex.Matches(page, " id=\"([^\"]+)\"").Select(match => match.Groups[1].Value).ToList();
        Assert.Equal(ids.Count, ids.Distinct().Count());
        var charts = records.Sum(record => record.Variants.Sum(variant => variant.Exhibits.Charts.Count));
        var onOneAxis = records.Count(record => record.Variants.Count(variant => variant.Exhibits.Charts.Count > 0) > 1);
        Assert.Equal(charts + onOneAxis, Regex.Count(page, "<figure class=\"chart"));
        Assert.Equal(Experiment.All().Select(experiment => experiment.Name), records.Select(record => record.Name));
        Assert.Contains("<code>instances-per-second.kql</code>", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Cost_and_latency_of_the_variants_are_points_of_one_chart()
    {
        var page = ExperimentReport.Render(await PlayedExperiment.RunAsync("http-scale", ["c16", "c4"], "load.duration=30"));
        var only = ExperimentReport.Render(await PlayedExperiment.RunAsync("http-scale", ["c4"], "load.duration=30"));

        var (c16, c4) = (DotOf("c16", page), DotOf("c4", page));
        Assert.True(c4.X < c16.X, "c4 answers sooner, and is not further to the left");
        Assert.True(c4.Y < c16.Y, "c4 costs more, and is not higher");
        Assert.Contains("memory and executions, for a million requests, $", page, StringComparison.Ordinal);
        Assert.DoesNotContain("http-scale-tradeoff", only, StringComparison.Ordinal);
    }

    private static (double X, double Y) DotOf(string variant, string page)
    {
        var dot = Regex.Match(page, $"""<circle cx="([\d.]+)" cy="([\d.]+)" r="4.5"/><text [^>]*>{variant}</text>""");
        Assert.True(dot.Success, $"{variant} has no point");
        return (Number(1), Number(2));

        double Number(int group) => double.Parse(dot.Groups[group].Value, CultureInfo.InvariantCulture);
    }

    [Fact]
    public async Task Two_records_are_one_page()
    {
        var one = await PlayedExperiment.RunAsync("http-scale", ["c4"], "load.duration=30");
        var other = await PlayedExperiment.RunAsync("http-scale", ["c4"], "load.duration=30", "scale.pace=10");

        var page = ComparisonReport.Of("one", [one], "other", [other]).Render();
        LiveLab.Leave("experiments-compared.html", page);

        foreach (var part in (string[])["one beside other", "scale.pace", "\"name\":\"first\"", "\"name\":\"second\""])
            Assert.Contains(part, page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stacked_bar_is_drawn_and_its_pieces_are_numbers_of_a_table()
    {
        var page = ExperimentReport.Render(await PlayedExperiment.RunAsync("gateway-policies", ["tiers"]));

        Assert.Contains("<caption>What each policy costs a server, ms of CPU a request</caption>", page, StringComparison.Ordinal);
        // 1.43 of 4.10 ms, and all of it.
        Assert.Contains("<span class=\"piece c-incoming\" style=\"width:34.88%\"></span>", page, StringComparison.Ordinal);
        Assert.Contains("<td class=\"number strong\">4.10</td>", page, StringComparison.Ordinal);
    }
}
