using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Polly.CircuitBreaker;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>
/// Meter <c>DroneDelivery.Calls</c>: calls to other services as their callers see them, repetitions included. Of the attempts the runtime
/// tells with <c>http.client.request.duration</c>.
/// </summary>
internal sealed class CallMetrics
{
    public const string MeterName = "DroneDelivery.Calls";

    /// <summary>Tags <c>drone_delivery.target</c> and <c>drone_delivery.outcome</c>.</summary>
    public const string DurationName = "drone_delivery.call.duration";

    /// <summary>0 closed, 1 half open, 2 open. Tag <c>drone_delivery.target</c>.</summary>
    public const string CircuitName = "drone_delivery.circuit.state";

    private const string Target = "drone_delivery.target", Outcome = "drone_delivery.outcome";

    private readonly ConcurrentDictionary<string, Func<CircuitState>> _circuits = new();
    private readonly Histogram<double> _duration;

    public CallMetrics(IMeterFactory meters)
    {
        var meter = meters.Create(MeterName);
        _duration = meter.CreateDuration(DurationName, "How long a call to another service took, repetitions included.");
        meter.CreateObservableGauge(CircuitName, Circuits, unit: null, "State of the circuit breaker: 0 closed, 1 half open, 2 open.");
    }

    public void Ended(string target, string outcome, TimeSpan took) =>
        _duration.Record(took.TotalSeconds, new(Target, target), new(Outcome, outcome));

    /// <summary>From now on the gauge tells of this circuit.</summary>
    public void Watch(string target, Func<CircuitState> state) => _circuits[target] = state;

    private IEnumerable<Measurement<int>> Circuits() =>
        _circuits.Select(circuit => new Measurement<int>(Number(circuit.Value()), new KeyValuePair<string, object?>(Target, circuit.Key)));

    private static int Number(CircuitState state) => state switch
    {
        CircuitState.Closed => 0,
        CircuitState.HalfOpen => 1,
        _ => 2,
    };
}
