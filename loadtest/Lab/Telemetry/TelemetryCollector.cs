using DroneDelivery.Lab.Live;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Lab.Telemetry;

/// <summary>
/// Where the services send their telemetry: the ingestion endpoint of Application Insights on the loopback, in the lab's own process. All of
/// a run goes into one file of its folder, lines of JSON that <c>zcat</c> and <c>jq</c> read too.
/// </summary>
internal sealed class TelemetryCollector : IAsyncDisposable
{
    /// <summary>In the run's folder.</summary>
    public const string FileName = "telemetry.ndjson.gz";

    /// <summary>A key that means nothing: the SDK wants one. Not a secret.</summary>
    private const string InstrumentationKey = "00000000-0000-0000-0000-0000000d07e5";

    // Services send every second.
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1.5), Patience = TimeSpan.FromSeconds(10), Tick = TimeSpan.FromMilliseconds(100);

    private readonly WebApplication _host;
    private readonly TimeProvider _clock;
    private readonly Uri _address;

    private TelemetryCollector(WebApplication host, TelemetryStore store, Uri address, TimeProvider clock)
    {
        (_host, Store, _address, _clock) = (host, store, address, clock);
        Samples = new(store);
    }

    public TelemetryStore Store { get; }

    /// <summary>Of the live page too.</summary>
    public Uri Address => _address;

    /// <summary>Tables of the run that the lab itself writes.</summary>
    public RunSamples Samples { get; }

    /// <summary>What became of everything that arrived. Nothing is left out in silence.</summary>
    public TelemetryCounts Counts => Store.Counts;

    /// <summary>For <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c>.</summary>
    public string ConnectionString => $"InstrumentationKey={InstrumentationKey};IngestionEndpoint={_address};LiveEndpoint={_address}";

    /// <param name="folder">The run's folder.</param>
    /// <param name="port">0 takes a free one.</param>
    /// <param name="clock">Items from before now are refused: they belong to an earlier run.</param>
    /// <exception cref="LabException">The port is in use.</exception>
    /// <param name="live">Whose page is shown at the collector's address; null shows none.</param>
    public static async Task<TelemetryCollector> StartAsync(string folder, int port, TimeProvider clock, CancellationToken cancellationToken, LiveRun? live = null)
    {
        Directory.CreateDirectory(folder);
        var store = new TelemetryStore(new() { InstrumentationKey = InstrumentationKey, Begin = clock.GetUtcNow(), File = Path.Combine(folder, FileName) }, clock);
        var host = CreateHost(store, port, live, clock);
        try
        {
            await host.StartAsync(cancellationToken);
        }
        catch (IOException exception) when (exception.InnerException is AddressInUseException)
        {
            await host.DisposeAsync();
            await store.DisposeAsync();
            throw new LabException($"Port {port}, for the telemetry collector, is in use. Move all ports: --port-offset 1000.");
        }

        return new(host, store, new Uri(host.Urls.First() + "/"), clock);
    }

    /// <summary>The run as it is now; what arrives later does not change it.</summary>
    public TelemetrySnapshot Snapshot() => Store.Snapshot();

    /// <summary>Waits until what the services have not sent yet has arrived. For the end of a stage, when no work is left that would make more.</summary>
    /// <returns>False: telemetry still arrives after 10 s.</returns>
    public async Task<bool> SettleAsync(CancellationToken cancellationToken)
    {
        var (began, since, received) = (_clock.GetTimestamp(), _clock.GetTimestamp(), Counts.Received);
        while (_clock.GetElapsedTime(since) < Quiet)
        {
            if (_clock.GetElapsedTime(began) > Patience)
                return false;
            await Task.Delay(Tick, _clock, cancellationToken);
            if (Counts.Received is var now && now != received)
                (since, received) = (_clock.GetTimestamp(), now);
        }

        return true;
    }

    /// <summary>Writes the rest to the file.</summary>
    public async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await Store.DisposeAsync();
    }

    private static WebApplication CreateHost(TelemetryStore store, int port, LiveRun? live, TimeProvider clock)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        // An upload is as large as its sender made it; the store has a limit of its own, for what is unpacked.
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = TelemetryIngestion.MaxUploadBytes);
        var app = builder.Build();
        app.MapTelemetryIngestion(store);
        if (live is not null)
            app.MapLivePage(store, live, clock);
        return app;
    }
}
