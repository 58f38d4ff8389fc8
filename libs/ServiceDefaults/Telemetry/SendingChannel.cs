using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using System.Threading.Channels;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.Extensibility.Implementation;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Sends telemetry from memory, 500 items at a time: as soon as so many wait, and once a second. It knows what became of each item. (The
/// library's channels lose items without a count.) An endpoint that is gone or overloaded gets the same items again a second later, for a
/// minute; what does not fit in memory meanwhile is lost, and counted.
/// </summary>
/// <param name="services">The log and the client: both send telemetry themselves, so they are asked for later.</param>
/// <param name="interval">Between uploads, and after one that failed; null: a second.</param>
internal sealed partial class SendingChannel(Uri endpoint, IServiceProvider services, TimeSpan? interval = null)
    : BackgroundService,
        ITelemetryChannel
{
    /// <summary>Event whose measurements are <c>sent</c> (with itself), <c>refused</c> and <c>lost</c>, of this process.</summary>
    public const string EventName = "TelemetrySent";

    /// <summary>A collector that knows it takes an upload of an id once; Azure takes no notice of it.</summary>
    private const string IdHeader = "X-Upload-Id";

    // A chunk is packed at a time: the text of a whole batch would be a large object of the heap, and cost a full collection.
    private const int BatchSize = 500,
        Chunk = 20,
        Capacity = 20_000,
        MostAttempts = 60;

    private static readonly TimeSpan PatienceAtTheEnd = TimeSpan.FromSeconds(5);

    private readonly Channel<ITelemetry> _waiting = Channel.CreateBounded<ITelemetry>(Capacity);
    private readonly SemaphoreSlim _full = new(0);
    private readonly List<ITelemetry> _batch = [];
    private readonly TimeSpan _interval = interval ?? TimeSpan.FromSeconds(1);
    private readonly CancellationTokenSource _abort = new();

    // Without activities: uploads are no calls of the application.
    private readonly HttpClient _http = new(new SocketsHttpHandler { ActivityHeadersPropagator = null })
    {
        Timeout = TimeSpan.FromSeconds(10),
    };
    private Guid _upload;
    private long _sent,
        _kept,
        _refused,
        _lost;
    private int _attempts;

    public bool? DeveloperMode { get; set; }

    public string EndpointAddress { get; set; } = endpoint.ToString();

    public TelemetryTally Tally =>
        new(
            Interlocked.Read(ref _sent),
            Interlocked.Read(ref _kept),
            Interlocked.Read(ref _refused),
            Interlocked.Read(ref _lost)
        );

    private ILogger Logger => field ??= services.GetRequiredService<ILogger<SendingChannel>>();

    private Outage Outage => field ??= new("Telemetry", Logger);

    public void Send(ITelemetry item)
    {
        var sent = Interlocked.Increment(ref _sent);
        if (!_waiting.Writer.TryWrite(item))
            Interlocked.Increment(ref _lost);
        // Items that wait for long outlive collections of garbage, which makes them expensive.
        if (sent % BatchSize == 0 && _full.CurrentCount == 0)
            _full.Release();
    }

    public void Flush() { }

    /// <summary>
    /// Sends the rest. The last item says how many there were, so that whoever keeps them can tell whether all are there. What the endpoint
    /// has not taken after some seconds is lost, and so is what comes later.
    /// </summary>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        _abort.CancelAfter(PatienceAtTheEnd);
        await using var end = cancellationToken.Register(_abort.Cancel);
        // An upload under way gets its answer: the endpoint may have taken it, and sent again it would count twice.
        await base.StopAsync(CancellationToken.None);
        await SendAsync();
        var (sent, _, refused, lost) = Tally;
        services
            .GetRequiredService<TelemetryClient>()
            .TrackEvent(
                EventName,
                metrics: new Dictionary<string, double>
                {
                    ["sent"] = sent + 1,
                    ["refused"] = refused,
                    ["lost"] = lost,
                }
            );
        await SendAsync();
        _waiting.Writer.TryComplete();
        Interlocked.Add(ref _lost, _batch.Count + _waiting.Reader.Count);
        Ended(Logger, Tally.Sent, Tally.Kept, Tally.Refused, Tally.Lost);
    }

    public override void Dispose()
    {
        _abort.Cancel();
        _http.Dispose();
        _full.Dispose();
        base.Dispose();
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        while (!stoppingToken.IsCancellationRequested)
        {
            var isEndpointThere = await SendAsync();
            await (
                isEndpointThere ? _full.WaitAsync(_interval, stoppingToken) : Task.Delay(_interval, stoppingToken)
            ).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Sends everything that waits. One caller at a time.</summary>
    /// <returns>False: the endpoint is gone or overloaded, and what waits goes on waiting.</returns>
    internal async Task<bool> SendAsync()
    {
        while (_batch.Count > 0 || _waiting.Reader.TryPeek(out _))
        {
            // Sent again it is the same, so that the collector can tell.
            if (_batch.Count == 0)
                Fill();
            if (!await UploadAsync())
                return false;
            _attempts = 0;
            _batch.Clear();
        }
        return true;
    }

    private void Fill()
    {
        _upload = Guid.NewGuid();
        while (_batch.Count < BatchSize && _waiting.Reader.TryRead(out var item))
            _batch.Add(item);
    }

    /// <returns>False: the same items again, later.</returns>
    private async Task<bool> UploadAsync()
    {
        try
        {
            using var content = Pack(_batch);
            content.Headers.Add(IdHeader, $"{_upload}");
            using var response = await _http.PostAsync(endpoint, content, _abort.Token);
            if (IsForLater(response.StatusCode))
                return Fail($"answers {(int)response.StatusCode}", isForLater: true);
            await CountAsync(response);
            return true;
        }
        catch (HttpRequestException exception)
        {
            return Fail($"cannot be reached ({exception.HttpRequestError})", isForLater: true);
        }
        catch (OperationCanceledException) when (!_abort.IsCancellationRequested)
        {
            return Fail($"gave no answer in {_http.Timeout.TotalSeconds:0} s", isForLater: true);
        }
        catch (Exception exception)
        {
            // It may have taken the items; sent again, they might be counted twice. The loop that sends has nobody to tell.
            return Fail(
                $"got no items or gave no answer that can be read ({exception.GetType().Name}: {exception.Message})"
            );
        }
    }

    private async Task CountAsync(HttpResponseMessage response)
    {
        var kept = response.StatusCode switch
        {
            HttpStatusCode.OK => _batch.Count,
            HttpStatusCode.PartialContent => (
                await response.Content.ReadFromJsonAsync<Answer>(_abort.Token)
            )!.ItemsAccepted,
            _ => 0,
        };
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)kept, (uint)_batch.Count, nameof(Answer.ItemsAccepted));
        Interlocked.Add(ref _kept, kept);
        Interlocked.Add(ref _refused, _batch.Count - kept);
        if (kept == _batch.Count)
            Outage.Succeeded();
        else
            Outage.Failed($"{endpoint} answers {(int)response.StatusCode}: it refuses items.");
    }

    /// <returns>Whether the items are lost, and not sent again.</returns>
    private bool Fail(string why, bool isForLater = false)
    {
        Outage.Failed($"{endpoint} {why}.");
        if (isForLater && ++_attempts < MostAttempts)
            return false;
        Interlocked.Add(ref _lost, _batch.Count);
        return true;
    }

    /// <summary>The library packs as small as it can. That takes four times as long, on the CPU of the application.</summary>
    private static ByteArrayContent Pack(List<ITelemetry> batch)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            foreach (var chunk in batch.Chunk(Chunk))
            {
                gzip.Write(JsonSerializer.Serialize(chunk, compress: false));
                gzip.WriteByte((byte)'\n');
            }
        }
        var content = new ByteArrayContent(packed.GetBuffer(), 0, (int)packed.Length);
        content.Headers.ContentType = new MediaTypeHeaderValue(JsonSerializer.ContentType);
        content.Headers.ContentEncoding.Add(JsonSerializer.CompressionType);
        return content;
    }

    private static bool IsForLater(HttpStatusCode status) =>
        status is HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests || (int)status is 439 or >= 500;

    [LoggerMessage(
        Level = LogLevel.Information,
        Message = "Telemetry: {Sent} items sent, {Kept} kept, {Refused} refused, {Lost} lost."
    )]
    private static partial void Ended(ILogger logger, long sent, long kept, long refused, long lost);

    private sealed record Answer(int ItemsAccepted);
}

/// <summary>What became of a process's telemetry: sent = kept + refused + lost + what still waits.</summary>
internal sealed record TelemetryTally(long Sent, long Kept, long Refused, long Lost);
