using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace DroneDelivery.Calls;

/// <summary>The states of the circuit breakers, one for each called service. Thread-safe.</summary>
public sealed partial class Circuits
{
    public const string MeterName = "DroneDelivery.Calls";

    /// <summary>Gauge with the values 0 (closed), 1 (half-open), and 2 (open), and the tag <c>drone_delivery.target</c>.</summary>
    public const string StateName = "drone_delivery.circuit.state";

    // The end of each circuit's break; null if the circuit is closed.
    private readonly ConcurrentDictionary<string, DateTimeOffset?> _breaks = new();
    private readonly TimeProvider _time;
    private readonly ILogger<Circuits> _logger;

    public Circuits(IMeterFactory meters, TimeProvider time, ILogger<Circuits> logger)
    {
        (_time, _logger) = (time, logger);
        meters.Create(MeterName).CreateObservableGauge(StateName, Observe);
    }

    /// <summary>Occurs when a circuit opens or closes. Handlers must not block the call that raises it.</summary>
    public event Action? Changed;

    /// <summary>Logical names of the services whose circuit is open or half-open.</summary>
    public IReadOnlyList<string> OpenServices => [.. _breaks.Keys.Where(IsOpenOrHalfOpen).Order()];

    /// <summary>Time until no circuit rejects all calls; zero if none does.</summary>
    public TimeSpan RemainingBreak =>
        _breaks.Values.Select(end => end - _time.GetUtcNow() ?? TimeSpan.Zero).Append(TimeSpan.Zero).Max();

    internal bool IsOpenOrHalfOpen(string service) => _breaks[service] is not null;

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

    [LoggerMessage(Level = LogLevel.Warning, Message = "Circuit to {Service} opened for {Duration}; calls fail fast")]
    private partial void LogOpened(string service, TimeSpan duration);

    [LoggerMessage(Level = LogLevel.Information, Message = "Circuit to {Service} closed; calls resumed")]
    private partial void LogClosed(string service);
}
