namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The next moment at which each message changes by itself: the end of its lock or of its time to live, or its scheduled
/// time. One timer waits for the earliest; no work is done for the others.</summary>
internal sealed class Deadlines(MonotonicClock clock, Action onDue) : IDisposable
{
    // Locks of one duration end in the order in which they begin, and need no sorting: a list has them, and the heap all others.
    private readonly MessageList _locks = new();
    private readonly MessageHeap<ByDeadline> _heap = new();
    private readonly DueTimer _timer = new(clock, onDue);

    private QueuedMessage? First =>
        _locks.First is { } held && (_heap.First is not { } other || IsBefore(held, other)) ? held : _heap.First;

    public void Set(QueuedMessage message, DateTimeOffset deadline)
    {
        Clear(message);
        if (deadline == DateTimeOffset.MaxValue)
            return;
        message.Deadline = deadline;
        _heap.Add(message);
        _timer.ArmNoLaterThan(deadline);
    }

    /// <summary>The same of a message that is locked, and so in no lane.</summary>
    public void SetLock(QueuedMessage message, DateTimeOffset until)
    {
        Clear(message);
        message.Deadline = until;
        if (_locks.Last is { } last && !IsBefore(last, message))
        {
            _heap.Add(message);
        }
        else
        {
            _locks.Append(message);
            message.DeadlineSlot = QueuedMessage.InList;
        }
        _timer.ArmNoLaterThan(until);
    }

    public void Clear(QueuedMessage message)
    {
        if (message.DeadlineSlot != QueuedMessage.InList)
        {
            _heap.Remove(message);
            return;
        }
        _locks.Remove(message);
        message.DeadlineSlot = QueuedMessage.Nowhere;
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

    private static bool IsBefore(QueuedMessage one, QueuedMessage other) => MessageHeap<ByDeadline>.IsBefore(one, other);
}
