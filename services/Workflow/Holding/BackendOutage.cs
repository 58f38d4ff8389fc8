using System.Threading.Channels;
using DroneDelivery.ServiceDefaults.Resilience;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Holding;

/// <summary>
/// Whether a service that Workflow calls is away. A failed attempt is the reason to ask it, and its answer decides: so one handler is
/// enough to notice an outage, and a message that fails alone is not mistaken for one.
/// </summary>
internal sealed class BackendOutage : IDisposable
{
    private readonly CalledService[] _services;
    private readonly bool _isWatched;
    private readonly Channel<bool> _changes =
        Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private volatile CancellationTokenSource _began = new();
    private volatile string? _cause;
    private volatile bool _endedInDoubt, _trialFailed;

    public BackendOutage(IEnumerable<CalledService> services, IOptions<WorkflowOptions> options)
    {
        _services = [.. services.DistinctBy(service => service.Name)];
        _isWatched = options.Value.HoldDuringOutage;
        if (!_isWatched)
            return;
        foreach (var service in _services)
        {
            service.AttemptFailed += OnFailed;
            service.Recovered += OnRecovered;
        }
    }

    /// <summary>Who is away, and how; null: nobody as far as is known.</summary>
    public string? Cause => _cause;

    /// <summary>Cancelled while an outage lasts. Another one once it is over.</summary>
    public CancellationToken Began => _began.Token;

    /// <summary>
    /// Who called itself healthy during the whole outage, and has still to answer a call; null: nobody. Its health proves nothing, so only
    /// a message can tell whether the outage is over.
    /// </summary>
    public string? OnTrial =>
        _endedInDoubt && NamesOf(_services.Where(service => service.IsInDoubt)) is { Length: > 0 } names ? names : null;

    /// <summary>Returns when an attempt has failed since the last look, or a service has recovered.</summary>
    public async Task UntilSomethingChangesAsync(CancellationToken cancellationToken) =>
        await _changes.Reader.ReadAsync(cancellationToken);

    /// <returns>The outage that explains why a message failed; null: the message itself is the cause, as far as is known.</returns>
    public async Task<string?> ExplainAsync(Exception failure) =>
        failure is HttpRequestException ? Cause ?? await AskAsync() : null;

    /// <summary>Asks those whose last attempt failed. One on trial is not asked: its calls tell.</summary>
    public async Task<string?> AskAsync()
    {
        if (!_isWatched)
            return null;
        if (_trialFailed && Cause is null && OnTrial is { } onTrial)
            return $"{onTrial} does not serve its calls";
        var asked = _services.Where(service => service.IsInTrouble).Select(async service => (service, Answer: await service.AskAsync()));
        var away = (await Task.WhenAll(asked)).Where(service => service.Answer is not null).ToList();
        return away.Count == 0 ? null : string.Join(", ", away.Select(service => $"{service.service.Name} {service.Answer}"));
    }

    public Task BeginAsync(string cause)
    {
        _cause = cause;
        return _began.CancelAsync();
    }

    /// <summary>While it lasts: what is known of its cause changes.</summary>
    public void GoOn(string cause) => _cause = cause;

    public async Task EndAsync()
    {
        foreach (var service in _services)
            await service.TrustAsync();
        _endedInDoubt = _services.Any(service => service.IsInDoubt);
        _trialFailed = false;
        // Handlers of the outage may still look at the former.
        _began = new();
        _cause = null;
    }

    public void Dispose()
    {
        foreach (var service in _services)
        {
            service.AttemptFailed -= OnFailed;
            service.Recovered -= OnRecovered;
        }
        _began.Dispose();
    }

    private void OnFailed(CalledService service)
    {
        // Another service may fail a message meanwhile, and that message alone.
        if (_endedInDoubt && service.IsInDoubt)
            _trialFailed = true;
        OnChange();
    }

    private void OnChange() => _changes.Writer.TryWrite(true);

    private void OnRecovered()
    {
        if (!_services.Any(service => service.IsInDoubt))
            _endedInDoubt = false;
        OnChange();
    }

    private static string NamesOf(IEnumerable<CalledService> services) => string.Join(", ", services.Select(service => service.Name));
}
