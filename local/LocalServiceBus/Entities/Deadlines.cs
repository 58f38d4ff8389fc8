namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The next moment at which each message changes by itself: the end of its lock or of its time to live, or its scheduled
/// time. One timer waits for the earliest; no work is done for the others.</summary>
internal sealed class Deadlines(MonotonicClock clock, Action onDue) : IDisposable
{
    private readonly MessageHeap<ByDeadline> _heap = new();
    private readonly DueTimer _timer = new(clock, onDue);

    public void Set(QueuedMessage message, DateTimeOffset deadline)
    {
        _heap.Remove(message);
        if (deadline == DateTimeOffset.MaxValue)
            return;
        message.Deadline = deadline;
        _heap.Add(message);
        _timer.ArmNoLaterThan(deadline);
    }

    public void Clear(QueuedMessage message) => _heap.Remove(message);

    public QueuedMessage? TakeDue(DateTimeOffset now)
    {
        if (_heap.First is not { } message || message.Deadline > now)
            return null;
        _heap.Remove(message);
        return message;
    }

    /// <summary>To be called when the timer has fired and everything due was taken. A deadline that leaves early does not touch the
    /// timer: firing once for nothing is cheaper than setting it for every settlement.</summary>
    public void Rearm() => _timer.Rearm(_heap.First?.Deadline);

    public void Dispose() => _timer.Dispose();
}
