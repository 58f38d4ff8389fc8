namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The next moment at which each message changes by itself: the end of its lock or of its time to live, or its scheduled
/// time. One timer waits for the earliest; no work is done for the others.</summary>
internal sealed class Deadlines : IDisposable
{
    readonly MessageHeap<ByDeadline> heap = new();
    readonly MonotonicClock clock;
    readonly ITimer timer;
    DateTimeOffset armedFor = DateTimeOffset.MaxValue;

    public Deadlines(MonotonicClock clock, Action onDue)
    {
        this.clock = clock;
        timer = clock.Provider.CreateTimer(static due => ((Action)due!)(), onDue, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public void Set(QueuedMessage message, DateTimeOffset deadline)
    {
        heap.Remove(message);
        if (deadline == DateTimeOffset.MaxValue) return;
        message.Deadline = deadline;
        heap.Add(message);
        if (deadline < armedFor) Arm(deadline);
    }

    public void Clear(QueuedMessage message) => heap.Remove(message);

    public QueuedMessage? TakeDue(DateTimeOffset now)
    {
        if (heap.First is not { } message || message.Deadline > now) return null;
        heap.Remove(message);
        return message;
    }

    /// <summary>To be called when the timer has fired and everything due was taken. A deadline that leaves early does not touch the
    /// timer: firing once for nothing is cheaper than setting it for every settlement.</summary>
    public void Rearm()
    {
        armedFor = DateTimeOffset.MaxValue;
        if (heap.First is { } message) Arm(message.Deadline);
    }

    void Arm(DateTimeOffset deadline)
    {
        armedFor = deadline;
        // System timers count whole milliseconds and drop the rest: rounded down they would fire early, and again, and again.
        var wait = Math.Max(1, Math.Ceiling((deadline - clock.Now).TotalMilliseconds));
        // Timers take at most about 49 days; a later deadline is armed again when this one fires.
        timer.Change(TimeSpan.FromMilliseconds(Math.Min(wait, int.MaxValue)), Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => timer.Dispose();
}
