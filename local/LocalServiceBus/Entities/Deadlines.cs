namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The times at which messages need handling: lock expiry, message expiry, or scheduled enqueue
/// time.</summary>
internal sealed class Deadlines(DueTimer timer)
{
    // Locks with the same duration expire in order, so they're in a list; all others are in a tree.
    private readonly MessageList _locks = new();
    private readonly SortedSet<QueuedMessage> _others = new(ByDeadline);

    public DateTimeOffset Next => First?.Deadline ?? DateTimeOffset.MaxValue;

    private QueuedMessage? First =>
        _locks.First is { } held && (_others.Min is not { } other || IsBefore(held, other)) ? held : _others.Min;

    /// <param name="isLock"><c>true</c> if the message is locked, and thus in no lane.</param>
    public void Set(QueuedMessage message, DateTimeOffset deadline, bool isLock = false)
    {
        Clear(message);
        if (deadline == DateTimeOffset.MaxValue)
            return;
        message.Deadline = deadline;
        if (isLock && (_locks.Last is not { } last || IsBefore(last, message)))
            _locks.Append(message);
        else
            _others.Add(message);
        timer.ArmNoLaterThan(deadline);
    }

    public void Clear(QueuedMessage message)
    {
        if (message.List == _locks)
            _locks.Remove(message);
        else
            _others.Remove(message);
    }

    public QueuedMessage? TakeDue(DateTimeOffset now)
    {
        if (First is not { } message || message.Deadline > now)
            return null;
        Clear(message);
        return message;
    }

    // Messages with the same deadline keep the order of their sequence numbers.
    private static readonly Comparer<QueuedMessage> ByDeadline = Comparer<QueuedMessage>.Create(
        static (one, other) =>
            (one.Deadline.UtcTicks, one.SequenceNumber).CompareTo((other.Deadline.UtcTicks, other.SequenceNumber))
    );

    private static bool IsBefore(QueuedMessage one, QueuedMessage other) => ByDeadline.Compare(one, other) < 0;
}

/// <summary>A timer for the earliest deadline. Canceling a deadline doesn't reset it, because an extra callback is
/// cheaper. Not thread-safe.</summary>
internal sealed class DueTimer(MonotonicClock clock, Action onDue) : IDisposable
{
    private readonly ITimer _timer = clock.Provider.CreateTimer(
        static due => ((Action)due!)(),
        onDue,
        Timeout.InfiniteTimeSpan,
        Timeout.InfiniteTimeSpan
    );

    private DateTimeOffset _armedFor = DateTimeOffset.MaxValue;

    public void ArmNoLaterThan(DateTimeOffset due)
    {
        if (due < _armedFor)
            Arm(due);
    }

    public void Rearm(DateTimeOffset next)
    {
        _armedFor = DateTimeOffset.MaxValue;
        ArmNoLaterThan(next);
    }

    private void Arm(DateTimeOffset due)
    {
        _armedFor = due;
        // System timers truncate to milliseconds. Without rounding up, they would fire early.
        var wait = Math.Max(1, Math.Ceiling((due - clock.Now).TotalMilliseconds));
        // Timers are limited to about 49 days. A later deadline is armed again when this one fires.
        _timer.Change(TimeSpan.FromMilliseconds(Math.Min(wait, int.MaxValue)), Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();
}
