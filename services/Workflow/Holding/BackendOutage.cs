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
    private readonly Channel<bool> _failures =
        Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private volatile CancellationTokenSource _began = new();
    private volatile string? _cause;

    public BackendOutage(IEnumerable<CalledService> services, IOptions<WorkflowOptions> options)
    {
        _services = [.. services.DistinctBy(service => service.Name)];
        _isWatched = options.Value.HoldDuringOutage;
        if (!_isWatched)
            return;
        foreach (var service in _services)
            service.AttemptFailed += OnAttemptFailed;
    }

    /// <summary>Who is away, and how; null: nobody as far as is known.</summary>
    public string? Cause => _cause;

    /// <summary>Cancelled while an outage lasts. Another one once it is over.</summary>
    public CancellationToken Began => _began.Token;

    /// <summary>Returns when an attempt has failed since the last look.</summary>
    public async Task UntilAnAttemptFailsAsync(CancellationToken cancellationToken) =>
        await _failures.Reader.ReadAsync(cancellationToken);

    /// <summary>Asks those whose last attempt failed.</summary>
    public async Task<string?> AskAsync()
    {
        if (!_isWatched)
            return null;
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
        // Handlers of the outage may still look at the former.
        _began = new();
        _cause = null;
    }

    public void Dispose()
    {
        foreach (var service in _services)
            service.AttemptFailed -= OnAttemptFailed;
        _began.Dispose();
    }

    private void OnAttemptFailed() => _failures.Writer.TryWrite(true);
}
