using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Report;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class CompareCommand : Verb
{
    private const string Noise = $"""
        {RunsOnDisk.Last} is the newest run.

        Noise is what two equal runs may differ by, in 95 of 100 cases. For single runs it follows from the number of events:
        a count of N varies by the square root of N. For several runs, separated by commas (`run --repeat 3` plays three), it follows from
        their spread: Student's t.

        """;

    private readonly Argument<string> _first = new("first")
    {
        HelpName = "PLAYED",
        Description =
            "A folder of artifacts/runs, or a part of its name; "
            + "or several runs with the same knobs, separated by commas.",
    };

    private readonly Argument<string> _second = new("second") { HelpName = "PLAYED", Description = "The other one." };

    private readonly Option<bool> _json = OptionOf.Json("Print the differences as JSON.");

    public CompareCommand()
        : base(
            "compare",
            "Shows the knobs that differ between two runs, and the figures that differ by more than noise; "
                + "writes a page that draws both on the same axes."
        )
    {
        Takes(_first, _second, _json);
        HasHelp(
            output => output.WriteLine(Noise),
            $"compare 2026-01-31T12-00-00-2 {RunsOnDisk.Last}",
            "compare 12-00-00-2,12-02-00-2,12-04-00-2 13-00-00-2,13-02-00-2,13-04-00-2"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (firsts, seconds) = (Find(Get(_first)), Find(Get(_second)));
        var (first, second) = (firsts[0], seconds[0]);
        var report = ComparisonReport.Of(
            first.Name,
            firsts.ConvertAll(it => it.Run),
            second.Name,
            seconds.ConvertAll(it => it.Run)
        );
        Out.Write(Get(_json) ? JsonSerializer.Serialize(report.Comparison, RunRecord.Options) : null, screen =>
            Show(report.Comparison, screen)
        );
        var page = RunFolder.WritePage(second.Folder, $"compare-{first.Name}.html", report.Render());
        await Error.WriteLineAsync($"Both on one axis: {page}");
        return ExitCode.Held;
    }

    private static List<(string Folder, string Name, RunRecord Run)> Find(string names)
    {
        var each = names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return each.Length > 0
            ?
            [
                .. each.Select(RunsOnDisk.Find)
                    .Select(folder => (folder, Path.GetFileName(folder), RunFolder.Read(folder))),
            ]
            : throw new BadInputException(
                $"'{names}' names no run: give one, or several separated by commas, for example {RunsOnDisk.Last}."
            );
    }

    private static void Show(Comparison comparison, IAnsiConsole output)
    {
        foreach (var caveat in comparison.Caveats)
            output.WriteLine(caveat);
        if (comparison.Knobs.Count == 0)
            output.WriteLine("All knobs are the same.");
        else
            output.WriteList(StageTables.Knobs(comparison.Knobs));
        if (comparison.Figures.Count > 0)
            output.WriteList(StageTables.Figures(comparison.Figures));
        output.WriteLine(
            $"{comparison.Figures.Count} figures differ by more than noise, {comparison.Same} are within noise."
        );
    }
}
