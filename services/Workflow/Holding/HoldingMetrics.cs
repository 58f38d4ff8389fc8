using System.Diagnostics.Metrics;
using DroneDelivery.Workflow.Watching;

namespace DroneDelivery.Workflow.Holding;

/// <summary>Part of the meter <c>DroneDelivery.Workflow</c>. docs/metrics.md says what each instrument answers.</summary>
internal sealed class HoldingMetrics
{
    /// <summary>0: messages are received, 1: one at a time, 2: none.</summary>
    public const string StateName = "drone_delivery.receiving.state";

    /// <summary>For how long no message was received, the outage of now included.</summary>
    public const string HeldName = "drone_delivery.receiving.held";

    private readonly BackendOutage _outage;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private TimeSpan _before;
    private long? _began;

    public HoldingMetrics(IMeterFactory meters, BackendOutage outage, TimeProvider time)
    {
        (_outage, _time) = (outage, time);
        var meter = meters.Create(MessageMetrics.MeterName);
        meter.CreateObservableGauge(StateName, State, "1", "0: messages are received, 1: one at a time, 2: none.");
        meter.CreateObservableCounter(HeldName, () => Held().TotalSeconds, "s", "How long no message was received.");
    }

    public void Began()
    {
        lock (_lock)
            _began ??= _time.GetTimestamp();
    }

    public void Ended()
    {
        lock (_lock)
        {
            _before = Held();
            _began = null;
        }
    }

    private int State() => _outage.Cause is not null ? 2 : _outage.OnTrial is not null ? 1 : 0;

    private TimeSpan Held()
    {
        lock (_lock)
            return _began is { } began ? _before + _time.GetElapsedTime(began) : _before;
    }
}
