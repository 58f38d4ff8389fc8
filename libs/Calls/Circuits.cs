using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace DroneDelivery.Calls;

/// <summary>The circuit breakers of this process: one for each service that it calls. Thread-safe.</summary>
public sealed partial class Circuits
{
    public const string MeterName = "DroneDelivery.Calls";

    /// <summary>0 closed, 1 half open (the break has ended, and the next call is let through), 2 open. Tag <c>drone_delivery.target</c>.</summary>
    public const string StateName = "drone_delivery.circuit.state";

    // The end of the break for each circuit; null if it is closed.
    private readonly ConcurrentDictionary<string, DateTimeOffset?> _breaks = new();
    private readonly TimeProvider _time;
    private readonly ILogger<Circuits> _logger;

    public Circuits(IMeterFactory meters, TimeProvider time, ILogger<Circuits> logger)
    {
        (_time, _logger) = (time, logger);
        meters.Create(MeterName).CreateObservableGauge(StateName, Observe);
    }

    /// <summary>A circuit has opened or closed. Raised by the call that caused it: to be handled at once.</summary>
    public event Action? Changed;

    /// <summary>Services whose circuit has opened and not closed since, by their logical names.</summary>
    public IReadOnlyList<string> Broken => [.. _breaks.Keys.Where(IsBroken).Order()];

    /// <summary>How long some circuit still rejects every call; zero: each lets at least one through.</summary>
    public TimeSpan BreakLeft =>
        _breaks.Values.Select(end => end - _time.GetUtcNow() ?? TimeSpan.Zero).Append(TimeSpan.Zero).Max();

    internal bool IsBroken(string service) => _breaks[service] is not null;

    internal void Add(string service) => _breaks[service] = null;

    internal ValueTask OpenAsync(string service, TimeSpan duration)
    {
        _breaks[service] = _time.GetUtcNow() + duration;
        LogOpened(service, duration);
        Changed?.Invoke();
        return ValueTask.CompletedTask;
    }

    internal ValueTask CloseAsync(string service)
    {
        _breaks[service] = null;
        LogClosed(service);
        Changed?.Invoke();
        return ValueTask.CompletedTask;
    }

    private IEnumerable<Measurement<int>> Observe() =>
        _breaks.Select(circuit => new Measurement<int>(
            StateOf(circuit.Value),
            new KeyValuePair<string, object?>("drone_delivery.target", circuit.Key)
        ));

    private int StateOf(DateTimeOffset? end)
    {
        if (end is null)
            return 0;
        return end > _time.GetUtcNow() ? 2 : 1;
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "The circuit to {Service} is open for {Duration}: its calls fail"
    )]
    private partial void LogOpened(string service, TimeSpan duration);

    [LoggerMessage(
        Level = LogLevel.Information,
        Message = "The circuit to {Service} is closed: it serves its calls again"
    )]
    private partial void LogClosed(string service);
}
