using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab compare</c>: what differs between two runs.</summary>
internal static class CompareCommand
{
    private const string Noise = """
        Noise is a share of the mean of both runs: 10 % of a rate, a time or CPU, 15 % of a count or a ratio. It is never less than
        0.5/s, 1 s, 10 ms, 3 % of CPU, 0.05 of a ratio, and for a count twice the root of both counts together.

        """;

    public static Command Create()
    {
        var first = new Argument<string>("first")
        {
            HelpName = "RUN",
            Description = "A folder of artifacts/runs, or a part of its name; last is the newest.",
        };
        var second = new Argument<string>("second") { HelpName = "RUN", Description = "Likewise." };
        var json = Options.Json("Print the differences as JSON.");
        var command = new Command(
            "compare",
            "Shows which knobs differ between two runs, and which figures by more than noise explains; draws both on one axis.")
        {
            first, second, json,
        };
        command.WithHelp(output => output.WriteLine(Noise), "compare 2026-01-31T12-00-00-2 last");
        command.SetAction(parsed =>
        {
            var (one, other) = (FolderOf(parsed.GetValue(first)!), FolderOf(parsed.GetValue(second)!));
            var report = new ComparisonReport(Path.GetFileName(one), RunFolder.Read(one), Path.GetFileName(other), RunFolder.Read(other));
            if (parsed.GetValue(json))
                Console.WriteLine(JsonSerializer.Serialize(report.Comparison, JsonSerializerOptions.Web));
            else
                Show(report.Comparison);
            var page = RunFolder.WritePage(other, $"compare-{Path.GetFileName(one)}.html", report.Render());
            Console.Error.WriteLine($"Both on one axis: {page}");
        });
        return command;
    }

    private static string FolderOf(string run) => RunsOnDisk.Find(run == "last" ? null : run);

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
