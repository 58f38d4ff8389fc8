using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Commands;

/// <param name="Runs">Folders, or parts of their names; none: the newest.</param>
/// <param name="Open">Whether a browser shows them.</param>
/// <param name="All">One page of all runs, and no report.</param>
internal sealed record ReportArguments(IReadOnlyList<string> Runs, bool Open = false, bool All = false);

/// <summary><c>lab report</c>: writes the reports of runs that are on disk.</summary>
internal sealed class ReportCommand : Verb<ReportArguments>
{
    private const string Last = "last";

    private readonly Argument<string[]> _runs = new("run")
    {
        Arity = ArgumentArity.ZeroOrMore,
        HelpName = "RUN",
        Description = "Folders of runs, or parts of their names; last is the newest run. [default: last]",
    };

    private readonly Option<bool> _open = new("--open") { Description = "Open the reports in a browser." };

    private readonly Option<bool> _all = new("--all")
    {
        Description = "Write artifacts/runs/index.html instead: all runs on disk, and how the figures of each stage went from run to run.",
    };

    public ReportCommand()
        : base("report", "Writes report.html of a run: charts, application map, a transaction, and the query of each.")
    {
        Takes(_runs, _open, _all);
        HasExamples("report --open", "report 2026-01-31T12-00-00-all", "report --all");
    }

    protected override ReportArguments Read(ParseResult parsed) =>
        new(parsed.GetValue(_runs) ?? [], parsed.GetValue(_open), parsed.GetValue(_all));

    public override async Task<ExitCode> RunAsync(ReportArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        if (arguments is { All: true, Runs.Count: > 0 })
            throw new BadInputException("--all is about all runs: name none.");
        if (arguments.All)
        {
            await ShowAsync(WriteAll(), arguments.Open, context);
            return ExitCode.Held;
        }

        IReadOnlyList<string> asked = arguments.Runs is { Count: > 0 } some ? some : [Last];
        foreach (var folder in asked.Select(run => RunsOnDisk.Find(run == Last ? null : run)).ToList())
            await ShowAsync(await WriteAsync(folder, context, cancellationToken), arguments.Open, context);
        return ExitCode.Held;
    }

    private static async Task ShowAsync(string file, bool open, LabContext context)
    {
        await context.Out.Text.WriteLineAsync(file);
        if (open)
            Open(file);
    }

    private static string WriteAll()
    {
        var (runs, unread) = RunsOnDisk.ReadAll();
        return RunFolder.WritePage(RunsOnDisk.Folder, AllRunsReport.FileName, new AllRunsReport(runs, unread).Render());
    }

    private static async Task<string> WriteAsync(string folder, LabContext context, CancellationToken cancellationToken)
    {
        var run = RunFolder.Read(folder);
        var began = context.Time.GetTimestamp();
        var telemetry = await RunTelemetry.TryLoadAsync(folder, context.Error.Text.WriteLine, cancellationToken);
        var loaded = context.Time.GetElapsedTime(began);
        var file = RunFolder.WriteReport(folder, run, telemetry);
        var written = context.Time.GetElapsedTime(began) - loaded;
        await context.Error.Text.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{new FileInfo(file).Length / 1024:N0} KiB, written in {written.TotalSeconds:0.0} s "
            + $"after {loaded.TotalSeconds:0.0} s for reading the telemetry."));
        return file;
    }

    private static void Open(string file)
    {
        try
        {
            using var browser = Process.Start(new ProcessStartInfo(file) { UseShellExecute = true });
        }
        catch (System.ComponentModel.Win32Exception exception)
        {
            throw new LabException($"No browser could be opened ({exception.Message}). The report is {file}.");
        }
    }
}
