using System.Net;
using System.Text.Json;
using Polly.CircuitBreaker;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// A service that this process calls, as far as its callers can tell. A failed attempt is only the reason to ask: it may be the fault of
/// that one request. What the service says of itself under <c>/health/ready</c>, or that it says nothing, decides whether it is away. One
/// that calls itself healthy is away all the same while its circuit is open because calls get no answer or 503, or if many different calls
/// fail and none succeeds.
/// </summary>
public sealed class CalledService : IDisposable
{
    /// <summary>However many ask, the service is asked once in this time.</summary>
    public static readonly TimeSpan AskingInterval = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    private readonly HttpMessageInvoker _transport;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private Task<string?>? _answer;
    private long _asked;
    private long _refusedUntil = long.MinValue;
    private readonly FailedRequests _failed = new();
    private volatile bool _isInTrouble, _isUnavailable, _servesNothing, _saidSo;

    /// <param name="name">Logical name, for example <c>package</c>.</param>
    /// <param name="transport">Sends without repetition or circuit; not disposed here.</param>
    /// <param name="time">Clock.</param>
    public CalledService(string name, HttpMessageHandler transport, TimeProvider time)
    {
        Name = name;
        _transport = new(transport, disposeHandler: false);
        _time = time;
    }

    /// <summary>An attempt failed, or the circuit opened. Raised by the caller whose attempt it was: to be handled at once.</summary>
    public event Action<CalledService>? AttemptFailed;

    /// <summary>An attempt succeeded after one that failed. Raised in the same way.</summary>
    public event Action? Recovered;

    public string Name { get; }

    /// <summary>Whether no attempt has succeeded since one failed.</summary>
    public bool IsInTrouble => _isInTrouble;

    /// <summary>
    /// Whether its calls got no answer or 503, or many different ones have failed, and none has succeeded since. Its health may say
    /// otherwise.
    /// </summary>
    public bool IsInDoubt => _isInTrouble && (_isUnavailable || _servesNothing);

    internal CircuitBreakerManualControl Circuit { get; } = new();

    internal CircuitBreakerStateProvider Observed { get; } = new();

    /// <summary>Until the circuit lets a call through, which is then the one that decides.</summary>
    private bool IsRefused => (_isUnavailable || _servesNothing) && _time.GetTimestamp() < Interlocked.Read(ref _refusedUntil);

    /// <returns>Null: it is there. Otherwise how it is away, in a few words that follow its name.</returns>
    public async Task<string?> AskAsync()
    {
        var answer = await AskForReadinessAsync().ConfigureAwait(false);
        _saidSo |= answer is not null;
        return answer ?? (IsRefused ? "does not serve its calls" : null);
    }

    /// <summary>
    /// It is there again: if it had said that it was away, the circuit closes now, rather than after its break. One that said the whole
    /// time that it was there is believed when a call succeeds.
    /// </summary>
    public async Task TrustAsync()
    {
        if (!_saidSo)
            return;
        _isInTrouble = false;
        _failed.Forget();
        await Circuit.CloseAsync().ConfigureAwait(false);
    }

    public void Dispose() => _transport.Dispose();

    internal void Opened(TimeSpan duration)
    {
        RefuseFor(duration);
        AttemptFailed?.Invoke(this); // whoever looked when the attempt failed may have found the circuit closed
    }

    internal void Closed() => Interlocked.Exchange(ref _refusedUntil, long.MinValue);

    /// <param name="isUnavailable">The service could not be reached or could not serve: no fault of the request.</param>
    /// <param name="request">What was asked for.</param>
    /// <param name="many">So many different requests that fail, with none that succeeds, are no fault of theirs.</param>
    internal void Failed(bool isUnavailable, string request, int many)
    {
        if (!_isInTrouble)
            _saidSo = false; // of the trouble before
        _isUnavailable = isUnavailable;
        _servesNothing = _failed.Add(request) >= many;
        // No circuit need be open, and whoever is told now is to find it away.
        if (_servesNothing)
            RefuseFor(AskingInterval);
        _isInTrouble = true;
        AttemptFailed?.Invoke(this);
    }

    internal void Succeeded()
    {
        _failed.Succeeded();
        // Read first: this runs on every call, and a write would make all cores fight for one cache line.
        if (!_isInTrouble)
            return;
        _isInTrouble = false;
        Recovered?.Invoke();
    }

    /// <summary>Or for longer, if it is refused for longer already.</summary>
    private void RefuseFor(TimeSpan duration)
    {
        var until = _time.GetTimestamp() + (long)(duration.TotalSeconds * _time.TimestampFrequency);
        for (var before = Interlocked.Read(ref _refusedUntil); before < until; before = Interlocked.Read(ref _refusedUntil))
        {
            if (Interlocked.CompareExchange(ref _refusedUntil, until, before) == before)
                return;
        }
    }

    private Task<string?> AskForReadinessAsync()
    {
        lock (_lock)
        {
            if (_answer is null || (_answer.IsCompleted && _time.GetElapsedTime(_asked) >= AskingInterval))
                (_asked, _answer) = (_time.GetTimestamp(), AskOnceAsync());
            return _answer;
        }
    }

    private async Task<string?> AskOnceAsync()
    {
        using var patience = new CancellationTokenSource(Patience, _time);
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, $"http://{Name}/health/ready");
            using var response = await _transport.SendAsync(request, patience.Token).ConfigureAwait(false);
            return await ReadAsync(response, patience.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is HttpRequestException or OperationCanceledException or IOException)
        {
            return "does not answer";
        }
    }

    /// <summary>An answer such as 404 comes from a service that is there. One that is Degraded lacks something that it needs.</summary>
    private static async Task<string?> ReadAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        if (response.StatusCode >= HttpStatusCode.InternalServerError)
            return $"answers {(int)response.StatusCode}";
        if (response.StatusCode != HttpStatusCode.OK)
            return null;
        var body = await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false);
        return StatusIn(body) is "Degraded" or "Unhealthy" ? "lacks something that it needs" : null;
    }

    private static string? StatusIn(byte[] body)
    {
        try
        {
            using var report = JsonDocument.Parse(body);
            return report.RootElement.ValueKind == JsonValueKind.Object && report.RootElement.TryGetProperty("status", out var status)
                ? status.ToString()
                : null;
        }
        catch (JsonException)
        {
            return null; // no report of ours: that it answers is all there is to know
        }
    }
}
