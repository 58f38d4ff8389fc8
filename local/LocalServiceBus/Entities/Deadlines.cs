namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The next moment at which each message changes by itself: the end of its lock or of its time to live, or its scheduled
/// time. One timer waits for the earliest; no work is done for the others.</summary>
internal sealed class Deadlines(MonotonicClock clock, Action onDue) : IDisposable
{
    // Locks of one duration end in the order in which they begin, and need no sorting: a list has them, and a tree all others.
    private readonly MessageList _locks = new();
    private readonly SortedSet<QueuedMessage> _others = new(ByDeadline);
    private readonly DueTimer _timer = new(clock, onDue);

    private QueuedMessage? First =>
        _locks.First is { } held && (_others.Min is not { } other || IsBefore(held, other)) ? held : _others.Min;

    /// <param name="isLock">The message is locked, and so in no lane.</param>
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
        _timer.ArmNoLaterThan(deadline);
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

    /// <summary>To be called when the timer has fired and everything due was taken. A deadline that leaves early does not touch the
    /// timer: firing once for nothing is cheaper than setting it for every settlement.</summary>
    public void Rearm() => _timer.Rearm(First?.Deadline);

    public void Dispose() => _timer.Dispose();

    // Messages that are due together keep the order of their numbers.
    private static readonly Comparer<QueuedMessage> ByDeadline = Comparer<QueuedMessage>.Create(
        static (one, other) =>
            (one.Deadline.UtcTicks, one.SequenceNumber).CompareTo((other.Deadline.UtcTicks, other.SequenceNumber))
    );

    private static bool IsBefore(QueuedMessage one, QueuedMessage other) => ByDeadline.Compare(one, other) < 0;
}
