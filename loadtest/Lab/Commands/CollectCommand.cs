using System.CommandLine;
using DroneDelivery.Lab.Live;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab collect</c>: only the telemetry collector with its live page, until Ctrl-C or SIGTERM.</summary>
internal static class CollectCommand
{
    public static Command Create()
    {
        var port = Options.WholeNumber("--port", 5080, 0, 65535, "Port of uploads, page and queries; 0 takes a free one.");
        var allInterfaces = new Option<bool>("--all-interfaces")
        {
            Description = "Listen to other machines too, as in a container. Anybody who reaches it can write and read.",
        };
        var folder = new Option<string?>("--folder")
        {
            HelpName = "DIR",
            Description = "Where the telemetry is kept; what is there already stays. [default: a new one in artifacts/runs]",
        };
        var broker = new Option<string>("--broker")
        {
            HelpName = "URL",
            Description = "A local broker whose counters are sampled every second; empty: none.",
            DefaultValueFactory = _ => "",
        };
        var command = new Command(
            "collect",
            "Runs only the telemetry collector and its live page; the first line it prints is the connection string for the services.")
        {
            port, allInterfaces, folder, broker,
        };
        command.WithExamples("collect", "collect --port 5080 --all-interfaces --folder /data --broker http://servicebus:5672");
        command.SetAction((parsed, cancellationToken) => RunAsync(
            parsed.GetValue(folder) ?? RunOptions.FolderOf(TimeProvider.System.GetUtcNow(), "collect"),
            parsed.GetValue(port),
            parsed.GetValue(allInterfaces),
            AddressOf(parsed.GetValue(broker)!),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(string folder, int port, bool allInterfaces, Uri? broker, CancellationToken cancellationToken)
    {
        await using var collector = await TelemetryCollector.StartAsync(
            folder, port, TimeProvider.System, cancellationToken, new LiveRun(), ofOthers: true, allInterfaces);
        await using var sampler = broker is null ? null : new QueueSampler(collector, broker, TimeProvider.System);
        if (collector.Counts.CutOff > 0)
        {
            await Console.Error.WriteLineAsync(
                $"The telemetry in {folder} ended unfinished, as a killed process leaves it: what was written last may be missing.");
        }

        Console.WriteLine(collector.ConnectionString);
        Console.WriteLine($"Live page: {collector.Address}   Folder: {folder}");
        await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return collector.Counts.Unsaved is > 0 and var unsaved
            ? throw new LabException(
                $"{unsaved} items could not be kept in {folder}: {collector.Store.FileFailure ?? "the disk refused them for a while."}")
            : 0;
    }

    private static Uri? AddressOf(string text) => text.Length == 0 ? null
        : Uri.TryCreate(text.TrimEnd('/') + "/", UriKind.Absolute, out var address) && address.Scheme is "http" or "https" ? address
        : throw new BadInputException($"--broker {text}: expected http://HOST:PORT.");
}
