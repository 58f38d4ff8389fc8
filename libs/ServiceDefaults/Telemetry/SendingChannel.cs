using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.ApplicationInsights.Extensibility.Implementation;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Sends telemetry from memory, once a second or every 500 items, and knows what became of each item. (The library's channels lose items
/// without a count.) An endpoint that is gone or overloaded gets everything again a second later; what does not fit in memory meanwhile
/// is lost, and counted, and so is an item that the endpoint has turned down too often.
/// </summary>
internal sealed class SendingChannel : ITelemetryChannel, IAsyncFlushable
{
    private const int BatchSize = 500, Capacity = 20_000;

    /// <summary>A minute of an endpoint that answers: one item that it cannot take must not come round for ever.</summary>
    private const int MostRefusals = 60;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Queue<WaitingItem> _waiting = new();
    private readonly SemaphoreSlim _wake = new(0, 1), _sending = new(1, 1);
    private readonly CancellationTokenSource _stop = new(), _abort = new();
    // Uploads are no calls of the application, also for those whom the library's own switch does not reach.
    private readonly HttpClient _http = new(new SocketsHttpHandler { ActivityHeadersPropagator = null }) { Timeout = Timeout };
    private readonly Uri _endpoint;
    private readonly TimeSpan _interval;
    private readonly Task _loop;
    private bool _ended;
    private long _sent, _kept, _refused, _lost;

    /// <param name="endpoint">Where uploads go.</param>
    /// <param name="interval">Between uploads, and after one that failed; null: a second.</param>
    public SendingChannel(Uri endpoint, TimeSpan? interval = null)
    {
        (_endpoint, _interval) = (endpoint, interval ?? TimeSpan.FromSeconds(1));
        EndpointAddress = endpoint.ToString();
        using (ExecutionContext.SuppressFlow()) // whoever builds the host is nobody's parent
            _loop = LoopAsync(_stop.Token, _abort.Token);
    }

    public bool? DeveloperMode { get; set; }

    public string EndpointAddress { get; set; }

    /// <summary>Told of the outcome of each upload: null, or what is wrong with the endpoint.</summary>
    public Action<string?>? Outcome { get; set; }

    public TelemetryTally Tally => new(
        Interlocked.Read(ref _sent),
        Interlocked.Read(ref _kept),
        Interlocked.Read(ref _refused),
        Interlocked.Read(ref _lost));

    public void Send(ITelemetry item)
    {
        Interlocked.Increment(ref _sent);
        int waiting;
        lock (_gate)
        {
            waiting = _ended ? Capacity : _waiting.Count;
            if (waiting < Capacity)
                _waiting.Enqueue(new(item, 0));
        }
        if (waiting == Capacity)
            Interlocked.Increment(ref _lost);
        else if (waiting == BatchSize - 1)
            Wake();
    }

    public void Flush() => Wake();

    /// <summary>Sends everything that waits.</summary>
    /// <returns>False: the endpoint is gone, or would not take something now; what waits goes on waiting.</returns>
    public async Task<bool> FlushAsync(CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken);
        try
        {
            while (Peek() is { Length: > 0 } batch)
            {
                var again = await SendAsync(batch, cancellationToken);
                Replace(batch.Length, again);
                if (again.Count > 0)
                    return false;
            }
            return true;
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Sends the rest, if that can be done in time. What still waits then is lost, and so is what comes later.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        await _stop.CancelAsync();
        // An upload under way gets its answer: the endpoint may have taken it, and sent again it would count twice.
        using (cancellationToken.Register(_abort.Cancel))
            await _loop;
        await ((Task)FlushAsync(cancellationToken)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_gate)
        {
            Interlocked.Add(ref _lost, _waiting.Count);
            _waiting.Clear();
            _ended = true;
        }
    }

    public void Dispose()
    {
        _stop.Cancel();
        _abort.Cancel();
        _http.Dispose();
    }

    private async Task LoopAsync(CancellationToken stopping, CancellationToken aborted)
    {
        try
        {
            while (true)
            {
                await _wake.WaitAsync(_interval, stopping);
                // A failure of the endpoint must not turn into a loop that asks as fast as it can.
                if (!await FlushAsync(aborted))
                    await Task.Delay(_interval, stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested || aborted.IsCancellationRequested)
        {
        }
    }

    private void Wake()
    {
        lock (_gate)
        {
            if (_wake.CurrentCount == 0)
                _wake.Release();
        }
    }

    private WaitingItem[] Peek()
    {
        lock (_gate)
            return [.. _waiting.Take(BatchSize)];
    }

    private void Replace(int count, IReadOnlyList<WaitingItem> again)
    {
        lock (_gate)
        {
            for (; count > 0; count--)
                _waiting.Dequeue();
            foreach (var item in again)
                _waiting.Enqueue(item);
        }
    }

    /// <returns>What has to be sent again; the rest is dealt with, one way or the other.</returns>
    private async Task<IReadOnlyList<WaitingItem>> SendAsync(WaitingItem[] batch, CancellationToken cancellationToken)
    {
        SdkInternalOperationsMonitor.Enter(); // sending telemetry is no dependency of the application
        try
        {
            using var response = await _http.PostAsync(_endpoint, Content(batch), cancellationToken);
            if (IsForLater(response.StatusCode))
            {
                Outcome?.Invoke($"{_endpoint} answers {(int)response.StatusCode}");
                return TurnedDown(batch);
            }
            return await CountAsync(response, batch, cancellationToken);
        }
        catch (HttpRequestException exception)
        {
            Outcome?.Invoke($"{_endpoint} cannot be reached ({exception.HttpRequestError})");
            return batch;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // It may have been taken or not; sent again, it might be counted twice.
            return Lose(batch.Length, $"{_endpoint} did not answer within {Timeout.TotalSeconds:0} s");
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // Whatever it is, the next batch is another one, and the loop that sends has nobody to tell.
            return Lose(batch.Length, $"{batch.Length} items could not be sent ({exception.GetType().Name}: {exception.Message})");
        }
        finally
        {
            SdkInternalOperationsMonitor.Exit();
        }
    }

    private List<WaitingItem> TurnedDown(IReadOnlyCollection<WaitingItem> items)
    {
        var again = items.Where(item => item.Refusals < MostRefusals).Select(item => item with { Refusals = item.Refusals + 1 }).ToList();
        Interlocked.Add(ref _lost, items.Count - again.Count);
        return again;
    }

    private WaitingItem[] Lose(int count, string why)
    {
        Interlocked.Add(ref _lost, count);
        Outcome?.Invoke(why);
        return [];
    }

    private static ByteArrayContent Content(WaitingItem[] batch)
    {
        var content = new ByteArrayContent(Pack(JsonSerializer.Serialize([.. batch.Select(waiting => waiting.Item)], compress: false)));
        content.Headers.ContentType = new MediaTypeHeaderValue(JsonSerializer.ContentType);
        content.Headers.ContentEncoding.Add(JsonSerializer.CompressionType);
        return content;
    }

    /// <summary>The library packs as small as it can. That takes four times as long, on the CPU of the application.</summary>
    private static byte[] Pack(byte[] json)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
            gzip.Write(json);
        return packed.ToArray();
    }

    private static bool IsForLater(HttpStatusCode status) =>
        status is HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests || (int)status is 439 or >= 500;

    /// <returns>The items that the endpoint may take later.</returns>
    private async Task<IReadOnlyList<WaitingItem>> CountAsync(
        HttpResponseMessage response, WaitingItem[] batch, CancellationToken cancellationToken)
    {
        var (kept, failed) = (response.StatusCode == HttpStatusCode.OK ? batch.Length : 0, Array.Empty<FailedItem>());
        if (response.StatusCode == HttpStatusCode.PartialContent)
        {
            if (Read(await response.Content.ReadAsByteArrayAsync(cancellationToken), batch.Length) is not { } answer)
                return Lose(batch.Length, $"{_endpoint} answers 206 without saying what it has taken");
            (kept, failed) = (answer.ItemsAccepted, answer.Errors ?? []);
        }
        var later = failed.Where(item => IsForLater((HttpStatusCode)item.StatusCode)).Select(item => batch[item.Index]).ToList();
        Interlocked.Add(ref _kept, kept);
        Interlocked.Add(ref _refused, batch.Length - kept - later.Count);
        Outcome?.Invoke(later.Count > 0 ? $"{_endpoint} answers 206: it does not take {later.Count} of {batch.Length} items now"
            : response.StatusCode is HttpStatusCode.OK or HttpStatusCode.PartialContent ? null
            : $"{_endpoint} answers {(int)response.StatusCode}: it refuses whatever it is sent");
        return TurnedDown(later);
    }

    /// <returns>Null: what came is not such an answer, whatever its status says (a proxy's page, for example).</returns>
    private static Answer? Read(byte[] body, int sent)
    {
        try
        {
            var answer = System.Text.Json.JsonSerializer.Deserialize<Answer>(body, System.Text.Json.JsonSerializerOptions.Web);
            var failed = (answer?.Errors ?? []).Select(item => item.Index).ToList();
            var isPossible = failed.TrueForAll(index => index >= 0 && index < sent) && failed.Distinct().Count() == failed.Count
                && answer?.ItemsAccepted >= 0 && answer.ItemsAccepted + failed.Count <= sent;
            return isPossible ? answer : null;
        }
        catch (System.Text.Json.JsonException)
        {
            return null;
        }
    }

    private sealed record WaitingItem(ITelemetry Item, int Refusals);

    private sealed record Answer
    {
        public required int ItemsAccepted { get; init; }

        public FailedItem[]? Errors { get; init; }
    }

    private sealed record FailedItem(int Index, int StatusCode);
}

/// <summary>What became of a process's telemetry: sent = kept + refused + lost + what still waits.</summary>
internal sealed record TelemetryTally(long Sent, long Kept, long Refused, long Lost);
