using System.CommandLine;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Cli;

internal sealed class CollectCommand : Verb
{
    private readonly Option<int> _port = OptionOf.WholeNumber(
        "--port",
        5080,
        0,
        65535,
        "Port for uploads, the live dashboard and queries; 0 for any available port."
    );

    private readonly Option<bool> _allInterfaces = OptionOf.Flag(
        "--all-interfaces",
        "Listen on all interfaces, as a container must. Anyone who can reach the port can write and read telemetry."
    );

    private readonly Option<string?> _folder = OptionOf.Text(
        "--folder",
        "DIR",
        "Folder for the telemetry; existing files are kept. [default: a new folder in artifacts/runs]"
    );

    private readonly Option<string> _broker = OptionOf.Text(
        "--broker",
        "URL",
        "Local broker whose counters to sample every second; empty for none.",
        ""
    );

    public CollectCommand()
        : base(
            "collect",
            "Runs only the telemetry collector and its live dashboard. The first line of output is the connection string for the services."
        )
    {
        Takes(_port, _allInterfaces, _folder, _broker);
        HasExamples("collect", "collect --port 5080 --all-interfaces --folder /data --broker http://servicebus:5672");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var folder = Get(_folder) ?? RunsOnDisk.FolderOf(Clock.GetUtcNow(), "collect");
        var broker = AddressOf(Get(_broker));
        await using var collector = await TelemetryCollector.StartAsync(
            folder,
            Get(_port),
            Clock,
            Stopping,
            (host, store) => host.MapLivePage(store, new(), Clock),
            ofOthers: true,
            Get(_allInterfaces),
            Error.WriteLine,
            TelemetryCollector.LastHour
        );
        await using var sampler = broker is null
            ? null
            : await RunSampler.StartAsync(collector, broker, redis: null, nodes: null, Clock, Error.WriteLine);
        if (collector.Counts.CutOff > 0)
        {
            await Error.WriteLineAsync(
                $"The telemetry in {folder} is incomplete, because its writer was killed: the last items may be missing."
            );
        }

        await Out.Text.WriteLineAsync(collector.ConnectionString);
        await Out.Text.WriteLineAsync($"Live dashboard: {collector.Address}   Folder: {folder}");
        var end = await WaitForCancellationAsync();
        return collector.Counts.Unsaved is > 0 and var unsaved
            ? throw new LabException(
                $"{unsaved} items could not be saved in {folder}: {collector.Store.FileFailure ?? "the disk refused them for a while."}"
            )
            : end;
    }

    private static Uri? AddressOf(string text) =>
        text.Length == 0
            ? null
            : OptionOf.Address(text) ?? throw new BadInputException($"--broker {text}: expected http://HOST:PORT.");
}
