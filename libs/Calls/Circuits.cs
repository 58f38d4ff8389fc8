using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Polly.CircuitBreaker;

namespace DroneDelivery.Calls;

/// <summary>The circuit breakers of this process: one for each service that it calls. Thread-safe.</summary>
public sealed partial class Circuits
{
    public const string MeterName = "DroneDelivery.Calls";

    /// <summary>0 closed, 1 half open, 2 open. Tag <c>drone_delivery.target</c>.</summary>
    public const string StateName = "drone_delivery.circuit.state";

    private readonly ConcurrentDictionary<string, (CircuitState State, DateTimeOffset Until)> _circuits = new();
    private readonly TimeProvider _time;
    private readonly ILogger<Circuits> _logger;

    public Circuits(IMeterFactory meters, TimeProvider time, ILogger<Circuits> logger)
    {
        (_time, _logger) = (time, logger);
        meters
            .Create(MeterName)
            .CreateObservableGauge(
                StateName,
                Observe,
                unit: null,
                "State of the circuit breaker: 0 closed, 1 half open, 2 open."
            );
    }

    /// <summary>A circuit has opened or closed. Raised by the call that caused it: to be handled at once.</summary>
    public event Action? Changed;

    /// <summary>Services whose circuit has opened and not closed since, by their logical names.</summary>
    public IReadOnlyList<string> Broken =>
        [
            .. _circuits
                .Where(circuit => circuit.Value.State != CircuitState.Closed)
                .Select(circuit => circuit.Key)
                .Order(),
        ];

    /// <summary>How long some circuit still refuses every call; zero: each lets at least one through.</summary>
    public TimeSpan BreakLeft =>
        _circuits
            .Values.Where(circuit => circuit.State == CircuitState.Open)
            .Select(circuit => circuit.Until - _time.GetUtcNow())
            .Append(TimeSpan.Zero)
            .Max();

    internal bool IsHalfOpen(string service) => _circuits[service].State == CircuitState.HalfOpen;

    internal void Set(string service, CircuitState state, TimeSpan duration = default)
    {
        var isFirst = !_circuits.ContainsKey(service);
        _circuits[service] = (state, _time.GetUtcNow() + duration);
        if (isFirst || state == CircuitState.HalfOpen)
            return;
        if (state == CircuitState.Open)
            Opened(_logger, service, duration);
        else
            Closed(_logger, service);
        Changed?.Invoke();
    }

    internal ValueTask SetAsync(string service, CircuitState state, TimeSpan duration = default)
    {
        Set(service, state, duration);
        return ValueTask.CompletedTask;
    }

    private IEnumerable<Measurement<int>> Observe() =>
        _circuits.Select(circuit => new Measurement<int>(
            circuit.Value.State switch
            {
                CircuitState.Closed => 0,
                CircuitState.HalfOpen => 1,
                _ => 2,
            },
            new KeyValuePair<string, object?>("drone_delivery.target", circuit.Key)
        ));

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "The circuit to {Service} is open for {Duration}: its calls fail"
    )]
    private static partial void Opened(ILogger logger, string service, TimeSpan duration);

    [LoggerMessage(
        Level = LogLevel.Information,
        Message = "The circuit to {Service} is closed: it serves its calls again"
    )]
    private static partial void Closed(ILogger logger, string service);
}
