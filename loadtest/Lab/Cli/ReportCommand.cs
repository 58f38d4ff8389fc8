using System.CommandLine;
using System.Globalization;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>lab report</c>: writes the reports of runs that are on disk.</summary>
internal sealed class ReportCommand : Verb
{
    private readonly Argument<string[]> _runs = new("run")
    {
        Arity = ArgumentArity.ZeroOrMore,
        HelpName = "RUN",
        Description = "Folders of runs, or parts of their names; last is the newest run. [default: last]",
    };

    private readonly Option<bool> _open = OptionOf.Flag("--open", "Open the reports in a browser.");

    private readonly Option<bool> _all = OptionOf.Flag(
        "--all", "Write artifacts/runs/index.html instead: all runs on disk, and how the figures of each stage went from run to run.");

    public ReportCommand()
        : base("report", "Writes report.html of a run: charts, application map, a transaction, and the query of each.")
    {
        Takes(_runs, _open, _all);
        HasExamples("report --open", "report 2026-01-31T12-00-00-all", "report --all");
    }

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var (runs, open) = (parsed.GetValue(_runs) ?? [], parsed.GetValue(_open));
        if (parsed.GetValue(_all))
        {
            if (runs.Length > 0)
                throw new BadInputException("--all is about all runs: name none.");
            var (all, unread) = RunsOnDisk.ReadAll();
            var page = new AllRunsReport(all, unread).Render();
            await ShowAsync(RunFolder.WritePage(RunsOnDisk.Folder, AllRunsReport.FileName, page), open, context);
            return ExitCode.Held;
        }

        foreach (var folder in runs.DefaultIfEmpty().Select(run => RunsOnDisk.Find(run == ExperimentsOnDisk.LastRun ? null : run)).ToList())
            await ShowAsync(await WriteAsync(folder, context, cancellationToken), open, context);
        return ExitCode.Held;
    }

    private static async Task ShowAsync(string file, bool open, LabContext context)
    {
        await context.Out.Text.WriteLineAsync(file);
        if (open)
            Browser.Open(file);
    }

    private static async Task<string> WriteAsync(string folder, LabContext context, CancellationToken cancellationToken)
    {
        var run = RunFolder.Read(folder);
        var began = context.Time.GetTimestamp();
        var telemetry = await RunTelemetry.TryLoadAsync(folder, context.Error.Text.WriteLine, cancellationToken);
        var loaded = context.Time.GetElapsedTime(began);
        var file = RunReport.Write(folder, run, telemetry);
        var written = context.Time.GetElapsedTime(began) - loaded;
        await context.Error.Text.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{new FileInfo(file).Length / 1024:N0} KiB, written in {written.TotalSeconds:0.0} s "
            + $"after {loaded.TotalSeconds:0.0} s for reading the telemetry."));
        return file;
    }
}
