using System.Diagnostics.Metrics;
using DroneDelivery.Workflow.Watching;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>Part of the meter <c>DroneDelivery.Workflow</c>. docs/metrics.md says what each instrument answers.</summary>
internal sealed class DeadLetterMetrics
{
    /// <summary>Tag <c>drone_delivery.outcome</c>: <see cref="Ended"/> or <see cref="GivenUp"/>.</summary>
    public const string EndedName = "drone_delivery.dead_letters.ended";

    public const string FailedName = "drone_delivery.dead_letters.failed";

    public const string WaitingName = "drone_delivery.dead_letters.waiting";

    public const string Ended = "ended", GivenUp = "given_up";

    private readonly Counter<long> _ended, _failed;
    private int _waiting;

    public DeadLetterMetrics(IMeterFactory meters)
    {
        var meter = meters.Create(MessageMetrics.MeterName);
        _ended = meter.CreateCounter<long>(EndedName, "{message}", "Dead letters that were dealt with.");
        _failed = meter.CreateCounter<long>(FailedName, "{attempt}", "Attempts to end a request that failed.");
        meter.CreateObservableGauge(
            WaitingName, () => Volatile.Read(ref _waiting), "{message}", "Dead letters that wait for the next attempt.");
    }

    public void CountEnd(string outcome) => _ended.Add(1, new KeyValuePair<string, object?>("drone_delivery.outcome", outcome));

    public void CountFailure() => _failed.Add(1);

    /// <summary>Until it is disposed.</summary>
    public IDisposable Waiting() => new Wait(this);

    private sealed class Wait : IDisposable
    {
        private readonly DeadLetterMetrics _metrics;

        public Wait(DeadLetterMetrics metrics) => Interlocked.Increment(ref (_metrics = metrics)._waiting);

        public void Dispose() => Interlocked.Decrement(ref _metrics._waiting);
    }
}
