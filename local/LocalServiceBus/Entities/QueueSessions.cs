namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Assigns the sessions of one queue to receivers, each session to one receiver at a time. Calls receivers
/// outside the queue's lock.</summary>
internal sealed class QueueSessions(Queue queue, BrokerParts broker, QueueTimer timer, SessionTable table)
{
    private readonly LinkedList<SessionRequest> _waiting = [];
    private List<Notification> _notifications = [];

    // No later than the earliest deadline of the waiting receivers.
    private DateTimeOffset _nextTimeout = DateTimeOffset.MaxValue;
    private bool _isNotifying;

    /// <summary>Requires the lock.</summary>
    public bool HasWaiting => _waiting.Count > 0;

    public DateTimeOffset NextDeadline => table.NextEnd < _nextTimeout ? table.NextEnd : _nextTimeout;

    /// <summary>Assigns a session immediately, or as soon as one is available.</summary>
    public void Accept(SessionRequest request)
    {
        if (queue.Change<QueueResult?>(QueueResult.Failed, () => TryAccept(request)) is { } why)
            Notify(request, () => request.OnRejected(why));
        queue.Dispatch();
    }

    /// <summary>Cancels a wait. If a session was assigned in the meantime, the receiver must release it.</summary>
    public void Forget(SessionRequest request) => queue.Change(false, () => _waiting.Remove(request));

    /// <summary>Releases a session. Its unsettled messages return with an unchanged delivery count.</summary>
    public void Release(SessionHold hold)
    {
        queue.Change(() =>
        {
            if (hold.Session.Holder == hold)
                queue.Contents.EndHold(hold.Session, isExpired: false);
        });
        queue.Dispatch();
    }

    /// <param name="by">The receiver; <c>null</c> for the one that holds the session.</param>
    public DateTimeOffset? Renew(string id, LinkId? by = null) =>
        InSession<DateTimeOffset?>(id, by, null, (session, now) =>
        {
            table.Renew(session, now + queue.Options.LockDuration);
            return session.LockedUntil;
        });

    public bool IsHeld(string id, LinkId? by = null) => InSession(id, by, false, (_, _) => true);

    public (byte[]? State, bool IsHeld) StateOf(string id, LinkId? by = null) =>
        InSession<(byte[]?, bool)>(id, by, (null, false), (session, _) => (session.State, true));

    public T InSession<T>(string id, LinkId? by, T whenLost, Func<Session, DateTimeOffset, T> change) =>
        queue.Change(whenLost, () =>
        {
            var now = broker.Clock.Now;
            queue.Use.Touch(now);
            return !queue.IsDeleted && table.TryGetHeld(id, by, now, out var session) ? change(session, now) : whenLost;
        });

    public QueueResult CanSetState(string id, byte[]? state, LinkId? by, DateTimeOffset now)
    {
        // For a deleted queue, the journal would store a state without its queue.
        if (queue.Failure is not null || queue.IsDeleted || !table.TryGetHeld(id, by, now, out _))
            return QueueResult.SessionLockLost;
        if (state?.Length > queue.Options.MaxMessageSize)
            return QueueResult.StateTooLarge;
        return state is not null && (queue.IsFull || broker.Memory.IsExhausted)
            ? QueueResult.QuotaExceeded
            : QueueResult.Done;
    }

    public void SetState(string id, byte[]? state) => table.SetState(table.Of(id), state);

    public Session? NextDue(DateTimeOffset now) => table.NextDue(now);

    public void EndDue(Session session)
    {
        var lost = session.Holder!.Request;
        _notifications.Add(new(lost, lost.OnLost, IsAwaited: false));
        queue.Contents.EndHold(session, isExpired: true);
    }

    /// <summary>Rejects receivers whose wait has timed out. Requires the lock.</summary>
    public void EndWaits(DateTimeOffset now)
    {
        if (_nextTimeout > now)
            return;
        _nextTimeout = DateTimeOffset.MaxValue;
        for (LinkedListNode<SessionRequest>? node = _waiting.First, next; node is not null; node = next)
        {
            next = node.Next;
            var request = node.Value;
            if (request.Deadline <= now)
            {
                _waiting.Remove(node);
                _notifications.Add(new(request, () => request.OnRejected(QueueResult.TimedOut), IsAwaited: true));
            }
            else if (request.Deadline < _nextTimeout)
            {
                _nextTimeout = request.Deadline;
            }
        }
    }

    public void Dispatch()
    {
        foreach (var hold in queue.Change([], table.TakeWoken))
            hold.Dispatcher.Run();
        // A receiver may release the session immediately, which reenters this method. Only the first call notifies
        // receivers; nested ones leave their notifications to it.
        if (!queue.Change(false, BeginNotifying))
            return;
        while (queue.Change(null, TakeNotifications) is { } notifications)
        {
            foreach (var (request, call, _) in notifications)
                Notify(request, call);
        }
    }

    /// <summary>Rejects all waiting receivers, because the queue assigns no more sessions.</summary>
    public void RejectWaiting(QueueResult why)
    {
        List<SessionRequest> waiting;
        lock (queue.Gate)
        {
            waiting = [.. _waiting];
            _waiting.Clear();
            if (why != QueueResult.Disabled)
            {
                // Once the queue has failed, pending notifications are no longer delivered.
                waiting.AddRange(
                    _notifications
                        .Where(notification => notification.IsAwaited)
                        .Select(notification => notification.Request)
                );
                _notifications.RemoveAll(notification => notification.IsAwaited);
            }
        }
        foreach (var request in waiting)
            Notify(request, () => request.OnRejected(why));
    }

    private QueueResult? TryAccept(SessionRequest request)
    {
        if (queue.IsDeleted)
            return QueueResult.Deleted;
        if (queue.IsReceiveDisabled)
            return QueueResult.Disabled;
        if (request.SessionId is not { } id)
            return TryAcceptNext(request);
        if (table.Of(id) is { Holder: not null } held && held.LockedUntil <= broker.Clock.Now)
            EndDue(held);
        var session = table.Of(id);
        if (session.Holder is not null)
            return QueueResult.SessionHeld;
        Assign(session, request);
        return null;
    }

    private QueueResult? TryAcceptNext(SessionRequest request)
    {
        // Check without waiting first, because the timeout can be zero.
        if (_waiting.Count == 0 && HasReady)
        {
            Assign(table.NextReady!, request);
            return null;
        }
        if (request.MaxWait <= TimeSpan.Zero)
            return QueueResult.TimedOut;
        request.Deadline = broker.Clock.Now + request.MaxWait;
        _waiting.AddLast(request);
        _nextTimeout = request.Deadline < _nextTimeout ? request.Deadline : _nextTimeout;
        timer.ArmNoLaterThan(request.Deadline);
        return null;
    }

    private void Assign(Session session, SessionRequest request)
    {
        var now = broker.Clock.Now;
        queue.Use.Touch(now);
        table.Assign(session, now + queue.Options.LockDuration, assigned => new SessionHold(
            assigned,
            queue.NewDispatcher(assigned),
            request
        ));
        var hold = session.Holder!;
        _notifications.Add(new(request, () => request.OnAssigned(hold), IsAwaited: true));
    }

    private void Notify(SessionRequest request, Action call) =>
        broker.Defects.Guard($"notifying a receiver of session '{request.SessionId}' of queue '{queue.Name}'", call);

    // True if a session with a deliverable message is available. A queue that doesn't deliver assigns no
    // sessions.
    private bool HasReady => table.NextReady is { } ready && queue.Contents.NextIn(ready) is not null;

    private bool BeginNotifying() => !_isNotifying && (_isNotifying = true);

    /// <returns><c>null</c> if there are no notifications; the next call with notifications then delivers
    /// them.</returns>
    private List<Notification>? TakeNotifications()
    {
        while (_waiting.First?.Value is { } first && (first.IsGone || HasReady))
        {
            _waiting.RemoveFirst();
            if (!first.IsGone && HasReady)
                Assign(table.NextReady!, first);
        }
        _isNotifying = _notifications.Count > 0;
        var taken = _isNotifying ? _notifications : null;
        _notifications = [];
        return taken;
    }

    /// <param name="IsAwaited"><c>true</c> if it's the response to the request.</param>
    private readonly record struct Notification(SessionRequest Request, Action Call, bool IsAwaited);
}
