using DroneDelivery.Lab.Experiments;

namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>What is kept of an experiment, and the page that shows it.</summary>
public sealed class ExperimentReportTests
{
    [Fact]
    public async Task The_record_is_read_as_it_was_written()
    {
        var record = await PlayedExperiment.OfAsync("disk-writes", ["share"]);

        var read = Assert.Single(ExperimentRecord.Parse(ExperimentRecord.ToJson([record])));

        Assert.Equal(ExperimentRecord.ToJson([record]), ExperimentRecord.ToJson([read]));
        Assert.Equal(16, read.Variants[0].Exhibits.Figures["share.bestBuffer"]);
    }

    [Fact]
    public async Task The_page_shows_the_articles_table_beside_ours_and_says_the_arm()
    {
        var record = await PlayedExperiment.OfAsync("disk-writes", ["share"]);

        var page = ExperimentReport.Render([record]);

        Assert.Contains("8 of 8 checks hold.", page, StringComparison.Ordinal);
        Assert.Contains(">26308<", page, StringComparison.Ordinal);
        Assert.Contains("19,814", page, StringComparison.Ordinal);
        Assert.Contains(">emulated<", page, StringComparison.Ordinal);
        Assert.Contains("--heat:100%", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script src", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_changed_knob_is_said()
    {
        var record = await PlayedExperiment.OfAsync("disk-writes", ["share"], "share.largestWrite=32");

        Assert.Contains(
            "Knobs were changed on the command line (share.largestWrite=32): it is not the published experiment.",
            ExperimentReport.Render([record]),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stacked_bar_is_drawn_and_its_pieces_are_numbers_of_a_table()
    {
        var page = ExperimentReport.Render([await PlayedExperiment.OfAsync("gateway-policies", ["tiers"])]);

        Assert.Contains("<caption>What each policy costs a server, ms of CPU a request</caption>", page, StringComparison.Ordinal);
        // 1.43 of 4.10 ms, and all of it.
        Assert.Contains("<span class=\"piece c-incoming\" style=\"width:34.88%\"></span>", page, StringComparison.Ordinal);
        Assert.Contains("<td class=\"number strong\">4.10</td>", page, StringComparison.Ordinal);
    }
}
