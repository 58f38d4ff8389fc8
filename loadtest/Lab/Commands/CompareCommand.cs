using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab compare</c>: what differs between two runs, or between two experiments.</summary>
internal static class CompareCommand
{
    private const string Noise = $"""
        A name is looked for among the runs and the experiments; {ExperimentsOnDisk.LastRun} is the newest run,
        {ExperimentsOnDisk.Last} the newest experiment, and last-http-scale the newest http-scale.

        Noise between two runs is a share of the mean of both: 10 % of a rate, a time or CPU, 15 % of a count or a ratio. It is never less
        than 0.5/s, 1 s, 10 ms, 3 % of CPU, 0.05 of a ratio, and for a count twice the root of both counts together. What is real in an
        experiment has 20 %, or what its file declares; what is emulated has none: any difference is one.

        """;

    public static Command Create()
    {
        var first = new Argument<string>("first")
        {
            HelpName = "PLAYED",
            Description = "A folder of artifacts/runs or artifacts/experiments, or a part of its name.",
        };
        var second = new Argument<string>("second") { HelpName = "PLAYED", Description = "Likewise, and of the same kind." };
        var json = Options.Json("Print the differences as JSON.");
        var command = new Command(
            "compare",
            "Shows which knobs differ between two runs, or two experiments, and which figures by more than noise explains; "
                + "draws both on one axis.")
        {
            first, second, json,
        };
        command.WithHelp(
            output => output.WriteLine(Noise),
            $"compare 2026-01-31T12-00-00-2 {ExperimentsOnDisk.LastRun}",
            $"compare 2026-01-31T12-00-00-http-scale {ExperimentsOnDisk.Last}");
        command.SetAction(parsed => Compare(
            ExperimentsOnDisk.FindAny(parsed.GetValue(first)!),
            ExperimentsOnDisk.FindAny(parsed.GetValue(second)!),
            parsed.GetValue(json)));
        return command;
    }

    private static void Compare(string first, string second, bool json)
    {
        string page;
        switch (ExperimentsOnDisk.IsExperiment(first), ExperimentsOnDisk.IsExperiment(second))
        {
            case (true, true):
                page = CompareExperiments(first, second, json);
                break;
            case (false, false):
                page = CompareRuns(first, second, json);
                break;
            default:
                throw new BadInputException(
                    $"{NameOf(first)} is {KindOf(first)}, {NameOf(second)} {KindOf(second)}: two of a kind can be compared. "
                        + $"{ExperimentsOnDisk.LastRun} is the newest run, {ExperimentsOnDisk.Last} the newest experiment.");
        }

        Console.Error.WriteLine($"Both on one axis: {page}");
    }

    private static string CompareRuns(string first, string second, bool json)
    {
        var report = new ComparisonReport(NameOf(first), RunFolder.Read(first), NameOf(second), RunFolder.Read(second));
        if (json)
            Console.WriteLine(JsonSerializer.Serialize(report.Comparison, JsonSerializerOptions.Web));
        else
            Show(report.Comparison);
        return RunFolder.WritePage(second, PageOf(first), report.Render());
    }

    private static string CompareExperiments(string first, string second, bool json)
    {
        var report = new ExperimentComparisonReport(
            NameOf(first), ExperimentsOnDisk.Read(first), NameOf(second), ExperimentsOnDisk.Read(second));
        if (json)
            Console.WriteLine(JsonSerializer.Serialize(report.Comparison, ExperimentRecord.Options));
        else
            ExperimentTables.Write(Terminal.Output, report.Comparison);
        return RunFolder.WritePage(second, PageOf(first), report.Render());
    }

    private static string NameOf(string folder) => Path.GetFileName(folder);

    private static string KindOf(string folder) => ExperimentsOnDisk.IsExperiment(folder) ? "an experiment" : "a run";

    private static string PageOf(string first) => $"compare-{NameOf(first)}.html";

    private static void Show(Comparison comparison)
    {
        var knobs = new Table().Border(TableBorder.Simple).AddColumns("stage", "knob", "first", "second");
        foreach (var knob in comparison.Knobs)
            knobs.AddRow(knob.Stage, knob.Knob, knob.First, knob.Second);
        if (comparison.Knobs.Count == 0)
            Terminal.Output.WriteLine("All knobs are the same.");
        else
            Terminal.Output.Write(knobs);
        var figures = new Table().Border(TableBorder.Simple).AddColumns("stage", "figure", "first", "second", "difference", "noise");
        foreach (var it in comparison.Figures)
        {
            figures.AddRow(
                it.Stage,
                it.Figure,
                NumberText.Of(it.First) + it.Unit,
                NumberText.Of(it.Second) + it.Unit,
                it.Share is { } share ? $"{share:+0 %;-0 %}" : "",
                it.NoiseText);
        }

        if (comparison.Figures.Count > 0)
            Terminal.Output.Write(figures);
        Terminal.Output.WriteLine($"{comparison.Figures.Count} figures differ, {comparison.Same} are the same within noise.");
    }
}
