using System.CommandLine;
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

    private readonly Option<bool> _serve = OptionOf.Flag(
        "--serve", "Serve the report with its telemetry behind it, until Ctrl-C: its lists and queries see all that the run has kept.");

    private readonly Option<int> _port =
        OptionOf.WholeNumber("--port", 5082, 0, 65535, "Port of --serve, on this machine only; 0 takes a free one.");

    public ReportCommand()
        : base("report", "Writes report.html of a run: charts, application map, a transaction, and the query of each.")
    {
        Takes(_runs, _open, _serve, _port, _all);
        HasExamples("report --open", "report --serve --open", "report 2026-01-31T12-00-00-all", "report --all");
    }

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var (runs, open) = (parsed.GetValue(_runs) ?? [], parsed.GetValue(_open));
        if (parsed.GetValue(_all))
        {
            if (runs.Length > 0)
                throw new BadInputException("--all is about all runs: name none.");
            if (parsed.GetValue(_serve))
                throw new BadInputException("--serve is about one run: leave --all out.");
            var (all, unread) = RunsOnDisk.ReadAll();
            var page = new AllRunsReport(all, unread).Render();
            await ShowAsync(RunFolder.WritePage(RunsOnDisk.Folder, AllRunsReport.FileName, page), open, context);
            return ExitCode.Held;
        }

        var folders = runs.DefaultIfEmpty().Select(run => RunsOnDisk.Find(run == ExperimentsOnDisk.LastRun ? null : run)).ToList();
        if (parsed.GetValue(_serve))
        {
            if (folders is not [var one])
                throw new BadInputException($"--serve is about one run, and {folders.Count} are named.");
            await ServeAsync(one, parsed.GetValue(_port), open, context, cancellationToken);
            return ExitCode.Held;
        }

        foreach (var folder in folders)
            await ShowAsync(await WriteAsync(folder, context, cancellationToken), open, context);
        return ExitCode.Held;
    }

    private static async Task ServeAsync(string folder, int port, bool open, LabContext context, CancellationToken cancellationToken)
    {
        var run = RunFolder.Read(folder);
        var telemetry = await RunTelemetry.LoadAsync(folder, context.Error.Text.WriteLine, cancellationToken);
        await using var served = await ServedReport.StartAsync(run, telemetry, port, cancellationToken);
        await context.Out.Text.WriteLineAsync($"{Path.GetFileName(folder)}: {served.Address}   Ctrl-C ends it.");
        if (open)
            Browser.TryOpen($"{served.Address}", context.Error.Text);
        await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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
        await context.Error.Text.WriteLineAsync(
            $"{new FileInfo(file).Length / 1024:N0} KiB, written in {written.TotalSeconds:0.0} s "
            + $"after {loaded.TotalSeconds:0.0} s for reading the telemetry.");
        return file;
    }
}
