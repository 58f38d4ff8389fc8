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

        Noise is the difference that two equal runs can have: 10 % of a rate, share or time, 15 % of a count or ratio, and at least the
        random variation of small numbers.

        """;

    private readonly Argument<string> _first = new("first")
    {
        HelpName = "PLAYED",
        Description = "A folder in artifacts/runs, or part of its name.",
    };

    private readonly Argument<string> _second = new("second") { HelpName = "PLAYED", Description = "The other run." };

    private readonly Option<bool> _json = OptionOf.Json("Print the differences as JSON.");

    public CompareCommand()
        : base(
            "compare",
            "Shows the knobs that differ between two runs and the figures that differ by more than noise. "
                + "Writes a page with charts of both runs."
        )
    {
        Takes(_first, _second, _json);
        HasHelp(output => output.WriteLine(Noise), $"compare 2026-01-31T12-00-00-2 {RunsOnDisk.Last}");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (first, second) = (RunsOnDisk.Find(Get(_first)), RunsOnDisk.Find(Get(_second)));
        var report = new ComparisonReport(
            Path.GetFileName(first),
            RunFolder.Read(first),
            Path.GetFileName(second),
            RunFolder.Read(second)
        );
        Out.Write(Get(_json) ? JsonSerializer.Serialize(report.Comparison, RunRecord.Options) : null, screen =>
            Show(report.Comparison, screen)
        );
        var page = RunFolder.WritePage(second, $"compare-{Path.GetFileName(first)}.html", report.Render());
        await Error.WriteLineAsync($"Charts of both runs: {page}");
        return ExitCode.Held;
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
