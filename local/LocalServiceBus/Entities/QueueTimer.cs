namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Handles everything that becomes due in a queue, with one system timer for the earliest deadline.</summary>
internal sealed class QueueTimer : IDisposable
{
    // Lock acquisitions per call, so that other work items of the thread pool aren't delayed.
    private const int HoldsPerCall = 8;

    private readonly Queue _queue;
    private readonly MonotonicClock _clock;
    private readonly DueTimer _timer;

    public QueueTimer(Queue queue, MonotonicClock clock)
    {
        (_queue, _clock) = (queue, clock);
        _timer = new DueTimer(clock, OnDue);
        Deadlines = new Deadlines(_timer);
    }

    public Deadlines Deadlines { get; }

    public void ArmNoLaterThan(DateTimeOffset due) => _timer.ArmNoLaterThan(due);

    /// <summary>Handles everything that is due. Also called after a forward step of the clock, which timers don't
    /// notice.</summary>
    public void OnDue()
    {
        _queue.Forwarding?.Retry();
        for (var holds = 1; _queue.Change(false, () => !_queue.IsDeleted && TakeDue()); holds++)
        {
            _queue.Dispatch();
            if (holds < HoldsPerCall)
                continue;
            ThreadPool.UnsafeQueueUserWorkItem(static timer => timer.OnDue(), this, preferLocal: false);
            return;
        }
        _queue.Dispatch();
    }

    public void Dispose() => _timer.Dispose();

    private bool TakeDue()
    {
        var now = _clock.Now;
        var sessions = _queue.Sessions;
        sessions?.EndWaits(now);
        for (var taken = 0; taken < Queue.MaxPerHold; taken++)
        {
            if (Deadlines.TakeDue(now) is { } message)
            {
                _queue.Contents.OnDue(message);
            }
            else if (sessions?.NextDue(now) is { } session)
            {
                taken += session.Locked.Count;
                sessions.EndDue(session);
            }
            else
            {
                DateTimeOffset[] next =
                [
                    Deadlines.Next,
                    sessions?.NextDeadline ?? DateTimeOffset.MaxValue,
                    _queue.Forwarding?.RetryAt ?? DateTimeOffset.MaxValue,
                ];
                _timer.Rearm(next.Min());
                return false;
            }
        }
        return true;
    }
}
