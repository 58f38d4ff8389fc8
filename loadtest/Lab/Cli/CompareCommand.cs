using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Report;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class CompareCommand : Verb
{
    private const string Noise = $"""
        A name is looked for among the runs and the experiments; {ExperimentsOnDisk.LastRun} is the newest run,
        {ExperimentsOnDisk.Last} the newest experiment, and last-http-scale the newest http-scale.

        Noise is what two equal runs may differ by, in 95 of 100 cases. For single runs it follows from the number of events:
        a count of N varies by the square root of N. For several runs, separated by commas (`run --repeat 3` plays three), it follows from
        their spread: Student's t. In an experiment a real figure has a noise of 20 %, or what its file declares. An emulated figure has
        none: any difference counts.

        """;

    private readonly Argument<string> _first = new("first")
    {
        HelpName = "PLAYED",
        Description = "A folder of artifacts/runs or artifacts/experiments, or a part of its name; "
            + "or several runs with the same knobs, separated by commas.",
    };

    private readonly Argument<string> _second = new("second") { HelpName = "PLAYED", Description = "The other one, of the same kind." };

    private readonly Option<bool> _json = OptionOf.Json("Print the differences as JSON.");

    public CompareCommand()
        : base(
            "compare",
            "Shows the knobs that differ between two runs or two experiments, and the figures that differ by more than noise; "
                + "writes a page that draws both on the same axes.")
    {
        Takes(_first, _second, _json);
        HasHelp(
            output => output.WriteLine(Noise),
            $"compare 2026-01-31T12-00-00-2 {ExperimentsOnDisk.LastRun}",
            "compare 12-00-00-2,12-02-00-2,12-04-00-2 13-00-00-2,13-02-00-2,13-04-00-2",
            $"compare 2026-01-31T12-00-00-http-scale {ExperimentsOnDisk.Last}");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (firsts, seconds) = (Find(Get(_first)), Find(Get(_second)));
        var (first, second) = (firsts[0], seconds[0]);
        var report = (ExperimentsOnDisk.IsExperiment(first), ExperimentsOnDisk.IsExperiment(second)) switch
        {
            (true, true) => ExperimentComparison.Report(
                NameOf(first), ExperimentsOnDisk.Read(first), NameOf(second), ExperimentsOnDisk.Read(second)),
            (false, false) => ComparisonReport.Of(
                NameOf(first), firsts.ConvertAll(RunFolder.Read), NameOf(second), seconds.ConvertAll(RunFolder.Read)),
            _ => throw new BadInputException(
                $"{NameOf(first)} is {KindOf(first)}, {NameOf(second)} {KindOf(second)}: two of a kind can be compared. "
                    + $"{ExperimentsOnDisk.LastRun} is the newest run, {ExperimentsOnDisk.Last} the newest experiment."),
        };
        Out.Write(
            Get(_json) ? JsonSerializer.Serialize(report.Comparison, ExperimentRecord.Options) : null,
            screen => Show(report.Comparison, screen));
        var page = RunFolder.WritePage(second, $"compare-{NameOf(first)}.html", report.Render());
        await Error.WriteLineAsync($"Both on one axis: {page}");
        return ExitCode.Held;
    }

    private static List<string> Find(string names)
    {
        var each = names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return each.Length > 0
            ? [.. each.Select(ExperimentsOnDisk.FindAny)]
            : throw new BadInputException(
                $"'{names}' names no run: give one, or several separated by commas, for example {ExperimentsOnDisk.LastRun}.");
    }

    private static string NameOf(string folder) => Path.GetFileName(folder);

    private static string KindOf(string folder) => ExperimentsOnDisk.IsExperiment(folder) ? "an experiment" : "a run";

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
        output.WriteLine($"{comparison.Figures.Count} figures differ by more than noise, {comparison.Same} are within noise.");
    }
}
