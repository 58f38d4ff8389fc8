using System.CommandLine;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Cli;

internal sealed class ReportCommand : Verb
{
    private readonly Argument<string[]> _runs = OptionOf.Words(
        "run",
        "Folders of artifacts/runs, or parts of their names; last is the newest run. [default: last]",
        "RUN"
    );

    private readonly Option<bool> _open = OptionOf.Flag("--open", "Open the reports in a browser.");

    private readonly Option<bool> _serve = OptionOf.Flag(
        "--serve",
        "Serve the report with its telemetry behind it, until Ctrl-C: its lists and queries see all that the run has kept."
    );

    private readonly Option<int> _port = OptionOf.WholeNumber(
        "--port",
        5082,
        0,
        65535,
        "Port of --serve, on this machine only; 0 takes a free one."
    );

    public ReportCommand()
        : base("report", "Writes report.html of a run: charts, application map, and the query of each.")
    {
        Takes(_runs, _open, _serve, _port);
        HasExamples("report --open", "report --serve --open", "report 2026-01-31T12-00-00-all");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (runs, open) = (Get(_runs) ?? [], Get(_open));
        if (!Get(_serve))
            Refuse("is for --serve.", _port);
        var folders = runs.DefaultIfEmpty().Select(RunsOnDisk.Find).ToList();
        if (Get(_serve))
        {
            if (folders is not [var one])
                throw new BadInputException($"--serve is about one run, and {folders.Count} are named.");
            return await ServeAsync(one, open);
        }

        foreach (var folder in folders)
            await ShowAsync(await WriteAsync(folder), open);
        return ExitCode.Held;
    }

    private async Task<ExitCode> ServeAsync(string folder, bool open)
    {
        var run = RunFolder.Read(folder);
        var telemetry = await RunTelemetry.LoadAsync(folder, Error.WriteLine, Left);
        await using var served = await ServedReport.StartAsync(run, telemetry, Get(_port), Left);
        await Out.Text.WriteLineAsync($"{Path.GetFileName(folder)}: {served.Address}   Ctrl-C ends it.");
        if (open)
            Browser.Open($"{served.Address}", Error);
        return await StayAsync();
    }

    private async Task ShowAsync(string file, bool open)
    {
        await Out.Text.WriteLineAsync(file);
        if (open)
            Browser.Open(file, Error);
    }

    private async Task<string> WriteAsync(string folder)
    {
        var run = RunFolder.Read(folder);
        var began = Clock.GetTimestamp();
        var telemetry = await RunTelemetry.TryLoadAsync(folder, Error.WriteLine, Left);
        var loaded = Clock.GetElapsedTime(began);
        var file = RunReport.Write(folder, run, telemetry);
        var written = Clock.GetElapsedTime(began) - loaded;
        await Error.WriteLineAsync(
            $"{new FileInfo(file).Length / 1024:N0} KiB, written in {written.TotalSeconds:0.0} s "
                + $"after {loaded.TotalSeconds:0.0} s for reading the telemetry."
        );
        return file;
    }
}
