using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// Where the services send their telemetry: the ingestion endpoint of Application Insights on the loopback, in the lab's own process. All
/// of a run goes into one file of its folder, lines of JSON that <c>zcat</c> and <c>jq</c> read too.
/// </summary>
internal sealed class TelemetryCollector : IAsyncDisposable
{
    /// <summary>In the run's folder.</summary>
    public const string FileName = "telemetry.ndjson.gz";

    /// <summary>Of senders that are not the lab's own, as in a cluster, where the network decides who reaches the collector.</summary>
    internal const string KeyOfOthers = "00000000-0000-0000-0000-0000000d07e5";

    /// <summary>What is kept where nothing ends the collection. Queries see no more.</summary>
    public static readonly TelemetryWindow LastHour = new(TimeSpan.FromHours(1), 512L << 20);

    // Services send every second.
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1.5),
        Patience = TimeSpan.FromSeconds(10),
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

    /// <summary>What became of everything that arrived. Nothing is left out in silence.</summary>
    public TelemetryCounts Counts => Store.Counts;

    /// <summary>
    /// For <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c>. Its key is made for the run: who has not been told it cannot write.
    /// </summary>
    public string ConnectionString => $"InstrumentationKey={_key};IngestionEndpoint={Address};LiveEndpoint={Address}";

    /// <param name="clock">Items from before now are refused: they belong to an earlier run.</param>
    /// <param name="pages">Adds pages at the collector's address; null adds none.</param>
    /// <param name="ofOthers">Its senders are not the lab's own: they may have begun before it, and the file is that of their run.</param>
    /// <param name="notice">Told, in a sentence, when the disk refuses telemetry; null: nobody is.</param>
    /// <param name="window">What memory keeps, and the file unless it is a run's; null: everything.</param>
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
            InstrumentationKey = ofOthers ? KeyOfOthers : $"{Guid.NewGuid()}",
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
            await host.StartOrSayAsync(
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

    /// <summary>The run as it is now; what arrives later does not change it.</summary>
    public TelemetrySnapshot Snapshot() => Store.Snapshot();

    /// <summary>
    /// Waits until what the services have not sent yet has arrived. For the end of a stage, when no work is left that would make more.
    /// </summary>
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
                $"Telemetry cannot be kept in {folder}: {exception.Message} Set LAB_ARTIFACTS to a folder that can be written, "
                    + "or name one: --folder of `lab collect`."
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
            ? OtherSites.RefusePages
            : OtherSites.Refuse;
        // An upload is as large as its sender made it; the store has a limit of its own, for what is unpacked.
        var app = LabHost.Create(url, TelemetryIngestion.MaxUploadBytes);
        app.MapTelemetryIngestion(store).AddEndpointFilter(refuse);
        app.MapGet("/health/live", () => "Healthy");
        // What the disk refuses is lost: better that senders keep it.
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
