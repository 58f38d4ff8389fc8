using System.Text.RegularExpressions;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class ExperimentReportTests
{
    [Fact]
    public async Task Ids_are_unique_in_a_report_with_every_chart()
    {
        ExperimentRecord[] records =
        [
            await ExperimentRuns.OfAsync("disk-writes", ["share"]),
            await ExperimentRuns.OfAsync(
                "gateway-policies",
                ["return-response", "forward", "tiers"],
                "load.duration=130"
            ),
            await ExperimentRuns.OfAsync("http-scale", ["c16", "c4"], "load.duration=30"),
            await ExperimentRuns.OfAsync("tracking-pixel", ["s1x5", "s1x10"], "load.users=1000"),
        ];

        var page = ExperimentReport.Render(ExperimentRuns.RunOf(records));
        Leave("experiments.html", page);

        var ids = Regex.Matches(page, " id=\"([^\"]+)\"").Select(match => match.Groups[1].Value).ToList();
        Assert.Equal(ids.Count, ids.Distinct().Count());
        var charts = records.Sum(record => record.Variants.Sum(variant => variant.Exhibits.Charts.Count));
        var onOneAxis = records.Count(record =>
            record.Variants.Count(variant => variant.Exhibits.Charts.Count > 0) > 1
        );
        Assert.Equal(charts + onOneAxis, Regex.Count(page, "<figure class=\"chart"));
        Assert.Equal(Experiment.All().Select(experiment => experiment.Name), records.Select(record => record.Name));
    }

    [Fact]
    public async Task Report_of_one_variant_has_no_cost_comparison()
    {
        var one = await ExperimentRuns.RunAsync("http-scale", ["c4"], "load.duration=30");

        Assert.DoesNotContain("http-scale-tradeoff", ExperimentReport.Render(one), StringComparison.Ordinal);
    }

    /// <summary>Writes a page for tests/report-browser.</summary>
    private static void Leave(string name, string page)
    {
        var folder = Path.Combine(AppContext.BaseDirectory, "..", "..", "..", "report-browser");
        File.WriteAllText(Path.Combine(Directory.CreateDirectory(folder).FullName, name), page);
    }
}
