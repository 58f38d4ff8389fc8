namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The next moment at which each message changes by itself: the end of its lock or of its time to live, or its scheduled
/// time. One timer waits for the earliest; no work is done for the others.</summary>
internal sealed class Deadlines : IDisposable
{
    private readonly MessageHeap<ByDeadline> _heap = new();
    private readonly MonotonicClock _clock;
    private readonly ITimer _timer;
    private DateTimeOffset _armedFor = DateTimeOffset.MaxValue;

    public Deadlines(MonotonicClock clock, Action onDue)
    {
        _clock = clock;
        _timer = clock.Provider.CreateTimer(static due => ((Action)due!)(), onDue, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public void Set(QueuedMessage message, DateTimeOffset deadline)
    {
        _heap.Remove(message);
        if (deadline == DateTimeOffset.MaxValue)
            return;
        message.Deadline = deadline;
        _heap.Add(message);
        if (deadline < _armedFor)
            Arm(deadline);
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
    public void Rearm()
    {
        _armedFor = DateTimeOffset.MaxValue;
        if (_heap.First is { } message)
            Arm(message.Deadline);
    }

    private void Arm(DateTimeOffset deadline)
    {
        _armedFor = deadline;
        // System timers count whole milliseconds and drop the rest: rounded down they would fire early, and again, and again.
        var wait = Math.Max(1, Math.Ceiling((deadline - _clock.Now).TotalMilliseconds));
        // Timers take at most about 49 days; a later deadline is armed again when this one fires.
        _timer.Change(TimeSpan.FromMilliseconds(Math.Min(wait, int.MaxValue)), Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();
}
