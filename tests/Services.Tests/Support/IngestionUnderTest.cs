using DroneDelivery.Ingestion;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Ingestion with a real broker and fakes of the services that it calls. Timeouts are long enough for a busy machine,
/// unless a test sets short ones.
/// </summary>
internal sealed class IngestionUnderTest : IAsyncDisposable
{
    private static readonly Dictionary<string, string?> Defaults = new()
    {
        ["Resilience:RetryDelays"] = "",
        ["Resilience:AttemptTimeout"] = "00:01:00",
        ["ServiceBus:SendTimeout"] = "00:01:00",
    };

    private readonly ServiceHost<DeliveryQueue> _host;

    private IngestionUnderTest(QueueUnderTest queue, FakeBackends backends, ServiceHost<DeliveryQueue> host) =>
        (Queue, Backends, _host) = (queue, backends, host);

    public QueueUnderTest Queue { get; }

    public FakeBackends Backends { get; }

    public HttpClient Http => _host.Http;

    public RecordedLogs Logs => _host.Logs;

    public static async Task<IngestionUnderTest> StartAsync(
        Dictionary<string, string?>? settings = null,
        TimeProvider? time = null
    )
    {
        var queue = await QueueUnderTest.StartAsync(options => options with { RequiresDuplicateDetection = true });
        var backends = await FakeBackends.StartAsync();
        var all = queue.Settings.And(backends.Settings).And(Defaults).And(settings ?? []);
        return new IngestionUnderTest(queue, backends, ServiceHost<DeliveryQueue>.Start(all, time: time));
    }

    public async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await Backends.DisposeAsync();
        await Queue.DisposeAsync();
    }
}

public sealed class SharedIngestion : IAsyncLifetime
{
    internal IngestionUnderTest Ingestion { get; private set; } = null!;

    public async ValueTask InitializeAsync() => Ingestion = await IngestionUnderTest.StartAsync();

    public ValueTask DisposeAsync() => Ingestion.DisposeAsync();
}
