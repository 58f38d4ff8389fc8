using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Report;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>lab compare</c>: what differs between two runs, or between two experiments.</summary>
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

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var (firsts, seconds) = (Find(parsed.GetValue(_first)!), Find(parsed.GetValue(_second)!));
        var (first, second, json) = (firsts[0], seconds[0], parsed.GetValue(_json));
        var html = (ExperimentsOnDisk.IsExperiment(first), ExperimentsOnDisk.IsExperiment(second)) switch
        {
            (true, true) => CompareExperiments(first, second, json, context.Out),
            (false, false) => CompareRuns(firsts, seconds, json, context.Out),
            _ => throw new BadInputException(
                $"{NameOf(first)} is {KindOf(first)}, {NameOf(second)} {KindOf(second)}: two of a kind can be compared. "
                    + $"{ExperimentsOnDisk.LastRun} is the newest run, {ExperimentsOnDisk.Last} the newest experiment."),
        };
        var page = RunFolder.WritePage(second, $"compare-{NameOf(first)}.html", html);
        await context.Error.Text.WriteLineAsync($"Both on one axis: {page}");
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

    private static string CompareRuns(List<string> firsts, List<string> seconds, bool json, Outlet output)
    {
        var report = new ComparisonReport(
            NameOf(firsts[0]), firsts.ConvertAll(RunFolder.Read), NameOf(seconds[0]), seconds.ConvertAll(RunFolder.Read));
        output.Write(
            json ? JsonSerializer.Serialize(report.Comparison, JsonSerializerOptions.Web) : null,
            screen => Show(report.Comparison, screen));
        return report.Render();
    }

    private static string CompareExperiments(string first, string second, bool json, Outlet output)
    {
        var report = new ExperimentComparisonReport(
            NameOf(first), ExperimentsOnDisk.Read(first), NameOf(second), ExperimentsOnDisk.Read(second));
        output.Write(
            json ? JsonSerializer.Serialize(report.Comparison, ExperimentRecord.Options) : null,
            screen => ExperimentText.Write(screen, report.Comparison));
        return report.Render();
    }

    private static string NameOf(string folder) => Path.GetFileName(folder);

    private static string KindOf(string folder) => ExperimentsOnDisk.IsExperiment(folder) ? "an experiment" : "a run";

    private static void Show(Comparison comparison, IAnsiConsole output)
    {
        ExperimentText.Write(output, StageTables.Knobs(comparison.Knobs), StageTables.Figures(comparison.Figures));
        output.WriteLine($"{comparison.Figures.Count} figures differ by more than noise, {comparison.Same} are within noise.");
    }
}
