using System.CommandLine;
using DroneDelivery.Telemetry.Ingest;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Bench.Telemetry;

/// <summary>The telemetry collector as a process of its own, so that its CPU can be told from that of the senders.</summary>
internal static class CollectorUnderTest
{
    public static Command Command()
    {
        var port = new Option<int>("--port") { Required = true };
        var file = new Option<string>("--file") { Required = true };
        var command = new Command("telemetry-collector", "The collector that the telemetry commands send to.")
        {
            port,
            file,
        };
        command.SetAction((parsed, ct) => Serve(parsed.GetValue(port), parsed.GetValue(file)!, ct));
        return command;
    }

    public static async Task<(ChildProcess Process, int Port)> Start(string folder)
    {
        var port = ChildProcess.FreePort();
        var process = ChildProcess.StartOwn(
            "Bench",
            ["telemetry-collector", "--port", $"{port}", "--file", Path.Combine(folder, "telemetry.ndjson.gz")],
            new Dictionary<string, string>()
        );
        await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(30));
        return (process, port);
    }

    private static async Task<int> Serve(int port, string file, CancellationToken cancellationToken)
    {
        await using var store = new TelemetryStore(new() { File = file });
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        var app = builder.Build();
        app.MapTelemetryIngestion(store);
        await app.StartAsync(cancellationToken);
        await app.WaitForShutdownAsync(cancellationToken);
        return 0;
    }
}
