namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The next moment at which each message changes by itself: the end of its lock or of its time to live, or its scheduled
/// time. The timer of the queue waits for the earliest; no work is done for the others.</summary>
internal sealed class Deadlines(DueTimer timer)
{
    // Locks of one duration end in the order in which they begin, and need no sorting: a list has them, and a tree all others.
    private readonly MessageList _locks = new();
    private readonly SortedSet<QueuedMessage> _others = new(ByDeadline);

    /// <summary>The earliest of them; <see cref="DateTimeOffset.MaxValue"/> if there is none.</summary>
    public DateTimeOffset Next => First?.Deadline ?? DateTimeOffset.MaxValue;

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

    // Messages that are due together keep the order of their numbers.
    private static readonly Comparer<QueuedMessage> ByDeadline = Comparer<QueuedMessage>.Create(
        static (one, other) =>
            (one.Deadline.UtcTicks, one.SequenceNumber).CompareTo((other.Deadline.UtcTicks, other.SequenceNumber))
    );

    private static bool IsBefore(QueuedMessage one, QueuedMessage other) => ByDeadline.Compare(one, other) < 0;
}

/// <summary>A timer for the earliest of many moments. A moment that is canceled doesn't change the timer: firing once for nothing is cheaper
/// than setting it for every settlement. Not safe for threads.</summary>
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

    /// <summary>To be called when the timer has fired.</summary>
    /// <param name="next">The next moment; <see cref="DateTimeOffset.MaxValue"/> if there is none.</param>
    public void Rearm(DateTimeOffset next)
    {
        _armedFor = DateTimeOffset.MaxValue;
        ArmNoLaterThan(next);
    }

    private void Arm(DateTimeOffset due)
    {
        _armedFor = due;
        // System timers count whole milliseconds and drop the rest: rounded down they would fire early, and again, and again.
        var wait = Math.Max(1, Math.Ceiling((due - clock.Now).TotalMilliseconds));
        // Timers take at most about 49 days; a later moment is armed again when this one fires.
        _timer.Change(TimeSpan.FromMilliseconds(Math.Min(wait, int.MaxValue)), Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();
}
