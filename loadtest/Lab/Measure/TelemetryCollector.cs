using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// Receives the services' telemetry: the ingestion endpoint of Application Insights on the loopback interface. Stores a run in one file of
/// its folder, as lines of JSON.
/// </summary>
internal sealed class TelemetryCollector : IAsyncDisposable
{
    public const string FileName = "telemetry.ndjson.gz";

    /// <summary>The key of senders in a cluster, where the network controls access.</summary>
    internal const string SharedKey = "00000000-0000-0000-0000-0000000d07e5";

    /// <summary>The window that is kept if the collection has no end.</summary>
    public static readonly TelemetryWindow LastHour = new(TimeSpan.FromHours(1), 512L << 20);

    // Services send every second.
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1.5),
        MaxWait = TimeSpan.FromSeconds(10),
        Tick = TimeSpan.FromMilliseconds(100);

    private readonly WebApplication _host;
    private readonly TimeProvider _clock;
    private readonly string _key;

    private TelemetryCollector(WebApplication host, TelemetryStore store, string key, TimeProvider clock)
    {
        (_host, Store, _key, _clock) = (host, store, key, clock);
        Address = new UriBuilder(host.Urls.First()) { Host = "127.0.0.1" }.Uri;
        Samples = new(store);
    }

    public TelemetryStore Store { get; }

    public Uri Address { get; }

    public RunSamples Samples { get; }

    public TelemetryCounts Counts => Store.Counts;

    /// <summary>The value of <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c>. Its key is generated, and required for sending.</summary>
    public string ConnectionString => $"InstrumentationKey={_key};IngestionEndpoint={Address};LiveEndpoint={Address}";

    /// <param name="clock">Items from before its current time are rejected, because they belong to an earlier run.</param>
    /// <param name="ofOthers">Whether senders that the lab didn't start, possibly earlier, are accepted.</param>
    /// <param name="window">The window to keep; <c>null</c> for everything.</param>
    public static async Task<TelemetryCollector> StartAsync(
        string folder,
        int port,
        TimeProvider clock,
        CancellationToken cancellationToken,
        Action<WebApplication, TelemetryStore>? pages = null,
        bool ofOthers = false,
        bool allInterfaces = false,
        Action<string>? notice = null,
        TelemetryWindow? window = null
    )
    {
        var options = new TelemetryStoreOptions
        {
            InstrumentationKey = ofOthers ? SharedKey : $"{Guid.NewGuid()}",
            Begin = ofOthers ? null : clock.GetUtcNow(),
            File = Path.Combine(folder, FileName),
            Notice = notice,
            Window = window,
            FileWindow = ofOthers ? null : window,
        };
        var store = OpenStore(folder, options, clock);
        var host = CreateHost(store, $"http://{(allInterfaces ? "*" : "127.0.0.1")}:{port}", ofOthers, pages);
        try
        {
            await host.StartOrThrowAsync(
                $"Port {port}, for the telemetry collector,",
                ofOthers ? "Choose another one: --port." : "Move all ports: --port-offset 1000.",
                cancellationToken
            );
        }
        catch
        {
            await store.DisposeAsync();
            throw;
        }

        return new(host, store, options.InstrumentationKey, clock);
    }

    public TelemetrySnapshot Snapshot() => Store.Snapshot();

    /// <summary>Waits for pending telemetry at the end of a stage.</summary>
    public async Task<bool> SettleAsync(CancellationToken cancellationToken)
    {
        var (began, since, received) = (_clock.GetTimestamp(), _clock.GetTimestamp(), Counts.Received);
        while (_clock.GetElapsedTime(since) < Quiet)
        {
            if (_clock.GetElapsedTime(began) > MaxWait)
                return false;
            await Task.Delay(Tick, _clock, cancellationToken);
            if (Counts.Received is var now && now != received)
                (since, received) = (_clock.GetTimestamp(), now);
        }

        return true;
    }

    public async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await Store.DisposeAsync();
    }

    private static TelemetryStore OpenStore(string folder, TelemetryStoreOptions options, TimeProvider clock)
    {
        try
        {
            Directory.CreateDirectory(folder);
            return new(options, clock);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException(
                $"Telemetry cannot be stored in {folder}: {exception.Message} Set LAB_ARTIFACTS, "
                    + "or --folder of `lab collect`, to a writable folder."
            );
        }
    }

    private static WebApplication CreateHost(
        TelemetryStore store,
        string url,
        bool ofOthers,
        Action<WebApplication, TelemetryStore>? pages
    )
    {
        Func<EndpointFilterInvocationContext, EndpointFilterDelegate, ValueTask<object?>> refuse = ofOthers
            ? OtherSites.RejectPages
            : OtherSites.Reject;
        // Uploads can be large; the store limits the decompressed size.
        var app = LabHost.Create(url, TelemetryIngestion.MaxUploadBytes);
        app.MapTelemetryIngestion(store).AddEndpointFilter(refuse);
        app.MapGet("/health/live", () => "Healthy");
        // Reports a full disk as not ready, so that senders keep their telemetry.
        app.MapGet("/health/ready", () =>
            store.FileFailure is { } failure
                ? Results.Text(failure, statusCode: StatusCodes.Status503ServiceUnavailable)
                : Results.Text("Healthy")
        );
        app.MapGet("/" + FileName, (CancellationToken left) =>
                Results.Stream(destination => store.CopyToAsync(destination, left), "application/gzip")
            )
            .AddEndpointFilter(refuse);
        pages?.Invoke(app, store);
        return app;
    }
}
