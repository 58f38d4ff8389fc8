using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab report</c>: writes the reports of runs that are on disk.</summary>
internal static class ReportCommand
{
    public static Command Create()
    {
        var runs = new Argument<string[]>("run")
        {
            Arity = ArgumentArity.ZeroOrMore,
            HelpName = "RUN",
            Description = "Folders of runs, or a part of their names; last is the newest. [default: last]",
        };
        var open = new Option<bool>("--open") { Description = "Open them in a browser." };
        var command = new Command("report", "Writes report.html of a run: charts, application map, a transaction, the query behind each.")
        {
            runs, open,
        };
        command.WithExamples("report --open", "report 2026-01-31T12-00-00-all");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string[] asked = parsed.GetValue(runs) is { Length: > 0 } some ? some : ["last"];
            foreach (var folder in asked.Select(run => RunsOnDisk.Find(run == "last" ? null : run)).ToList())
            {
                var file = await WriteAsync(folder, cancellationToken);
                Console.WriteLine(file);
                if (parsed.GetValue(open))
                    Open(file);
            }

            return 0;
        });
        return command;
    }

    private static async Task<string> WriteAsync(string folder, CancellationToken cancellationToken)
    {
        var run = RunFolder.Read(folder);
        var watch = Stopwatch.StartNew();
        var telemetry = File.Exists(Path.Combine(folder, TelemetryCollector.FileName))
            ? await RunTelemetry.LoadAsync(folder, cancellationToken)
            : null;
        var loaded = watch.Elapsed;
        var file = RunFolder.WriteReport(folder, run, telemetry);
        await Console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{new FileInfo(file).Length / 1024:N0} KiB, written in {(watch.Elapsed - loaded).TotalSeconds:0.0} s "
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
