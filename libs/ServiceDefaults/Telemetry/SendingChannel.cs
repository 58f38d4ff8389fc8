using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.ApplicationInsights.Extensibility.Implementation;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Sends telemetry from memory, once a second or every 500 items, and knows what became of each item. (The library's channels lose items
/// without a count.) An endpoint that is gone is asked again every second; what does not fit in memory meanwhile is lost, and counted.
/// </summary>
internal sealed class SendingChannel : ITelemetryChannel, IAsyncFlushable
{
    private const int BatchSize = 500, Capacity = 20_000;
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1), Timeout = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Queue<ITelemetry> _waiting = new();
    private readonly SemaphoreSlim _wake = new(0, 1), _sending = new(1, 1);
    private readonly CancellationTokenSource _stop = new();
    private readonly HttpClient _http = new() { Timeout = Timeout };
    private readonly Uri _endpoint;
    private readonly Task _loop;
    private bool _ended;
    private long _sent, _kept, _refused, _lost;

    /// <param name="endpoint">Where uploads go.</param>
    public SendingChannel(Uri endpoint)
    {
        _endpoint = endpoint;
        EndpointAddress = endpoint.ToString();
        using (ExecutionContext.SuppressFlow()) // whoever builds the host is nobody's parent
            _loop = LoopAsync(_stop.Token);
    }

    public bool? DeveloperMode { get; set; }

    public string EndpointAddress { get; set; }

    /// <summary>Told of the outcome of each upload: null, or what is wrong with the endpoint.</summary>
    public Action<string?>? Outcome { get; set; }

    public TelemetryTally Tally => new(Interlocked.Read(ref _sent), Interlocked.Read(ref _kept), Interlocked.Read(ref _refused), Interlocked.Read(ref _lost));

    public void Send(ITelemetry item)
    {
        Interlocked.Increment(ref _sent);
        int waiting;
        lock (_gate)
        {
            waiting = _ended ? Capacity : _waiting.Count;
            if (waiting < Capacity)
                _waiting.Enqueue(item);
        }
        if (waiting == Capacity)
            Interlocked.Increment(ref _lost);
        else if (waiting == BatchSize - 1)
            Wake();
    }

    public void Flush() => Wake();

    /// <summary>Sends everything that waits.</summary>
    /// <returns>False: the endpoint is gone, or took too long; what waits goes on waiting.</returns>
    public async Task<bool> FlushAsync(CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken);
        try
        {
            while (Peek() is { Length: > 0 } batch)
            {
                if (!await TrySendAsync(batch, cancellationToken))
                    return false;
                Remove(batch.Length);
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
        _http.Dispose();
    }

    private async Task LoopAsync(CancellationToken stopping)
    {
        try
        {
            while (true)
            {
                await _wake.WaitAsync(Interval, stopping);
                // A failure of the endpoint must not turn into a loop that asks as fast as it can.
                if (!await FlushAsync(stopping))
                    await Task.Delay(Interval, stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
        }
    }

    private void Wake()
    {
        lock (_gate)
            if (_wake.CurrentCount == 0)
                _wake.Release();
    }

    private ITelemetry[] Peek()
    {
        lock (_gate)
            return [.. _waiting.Take(BatchSize)];
    }

    private void Remove(int count)
    {
        lock (_gate)
            for (; count > 0; count--)
                _waiting.Dequeue();
    }

    /// <returns>Whether the batch is dealt with, one way or the other.</returns>
    private async Task<bool> TrySendAsync(ITelemetry[] batch, CancellationToken cancellationToken)
    {
        SdkInternalOperationsMonitor.Enter(); // sending telemetry is no dependency of the application
        try
        {
            using var response = await _http.PostAsync(_endpoint, Content(batch), cancellationToken);
            if (IsForLater(response.StatusCode))
                return Failed($"{_endpoint} answers {(int)response.StatusCode}");
            await CountAsync(response, batch.Length, cancellationToken);
            Outcome?.Invoke(null);
            return true;
        }
        catch (HttpRequestException exception)
        {
            return Failed($"{_endpoint} cannot be reached ({exception.HttpRequestError})");
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // It may have been taken or not; sent again, it might be counted twice.
            Interlocked.Add(ref _lost, batch.Length);
            Outcome?.Invoke($"{_endpoint} did not answer within {Timeout.TotalSeconds:0} s");
            return true;
        }
        finally
        {
            SdkInternalOperationsMonitor.Exit();
        }

        bool Failed(string why)
        {
            Outcome?.Invoke(why);
            return false;
        }
    }

    private static ByteArrayContent Content(ITelemetry[] batch)
    {
        var content = new ByteArrayContent(JsonSerializer.Serialize(batch));
        content.Headers.ContentType = new MediaTypeHeaderValue(JsonSerializer.ContentType);
        content.Headers.ContentEncoding.Add(JsonSerializer.CompressionType);
        return content;
    }

    private static bool IsForLater(HttpStatusCode status) => status is HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests || (int)status is 439 or >= 500;

    private async Task CountAsync(HttpResponseMessage response, int count, CancellationToken cancellationToken)
    {
        var kept = response.StatusCode switch
        {
            HttpStatusCode.OK => count,
            HttpStatusCode.PartialContent => (await response.Content.ReadFromJsonAsync<Answer>(cancellationToken))!.ItemsAccepted,
            _ => 0,
        };
        Interlocked.Add(ref _kept, kept);
        Interlocked.Add(ref _refused, count - kept);
    }

    private sealed record Answer(int ItemsAccepted);
}

/// <summary>What became of a process's telemetry: sent = kept + refused + lost + what still waits.</summary>
internal sealed record TelemetryTally(long Sent, long Kept, long Refused, long Lost);
