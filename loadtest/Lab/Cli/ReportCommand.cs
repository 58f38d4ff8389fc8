using System.CommandLine;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Cli;

internal sealed class ReportCommand : Verb
{
    private readonly Argument<string[]> _runs = OptionOf.Words(
        "run",
        "Folders in artifacts/runs, or parts of their names; last is the newest run. [default: last]",
        "RUN"
    );

    private readonly Option<bool> _open = OptionOf.Flag("--open", "Open the reports in a browser.");

    private readonly Option<bool> _spoil = SharedOptions.Spoil();

    public ReportCommand()
        : base("report", "Writes the report.html of a run, with charts, the application map, and their queries.")
    {
        Takes(_runs, _open, _spoil);
        HasExamples("report --open", "report 2026-01-31T12-00-00-all");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        foreach (var folder in (Get(_runs) ?? []).DefaultIfEmpty().Select(RunsOnDisk.Find).ToList())
        {
            var file = await WriteAsync(folder);
            await Out.Text.WriteLineAsync(file);
            if (Get(_open))
                Browser.Open(file, Error);
        }
        return ExitCode.Held;
    }

    private async Task<string> WriteAsync(string folder)
    {
        var run = RunFolder.Read(folder);
        var began = Clock.GetTimestamp();
        var telemetry = await RunTelemetry.TryLoadAsync(folder, Error.WriteLine, Stopping);
        var loaded = Clock.GetElapsedTime(began);
        var shown = run with { Stages = [.. run.Stages.Select(HiddenAnswers.View(Get(_spoil)))] };
        var file = RunReport.Write(folder, shown, telemetry);
        var written = Clock.GetElapsedTime(began) - loaded;
        await Error.WriteLineAsync(
            $"{new FileInfo(file).Length / 1024:N0} KiB, written in {written.TotalSeconds:0.0} s "
                + $"after {loaded.TotalSeconds:0.0} s for reading the telemetry."
        );
        return file;
    }
}
