namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Gives the sessions of one queue to receivers, each session to one at a time, and lets receivers wait for a session. Receivers
/// are called without the queue's lock.</summary>
/// <param name="table">The sessions, guarded by the queue's lock.</param>
internal sealed class QueueSessions(Queue queue, BrokerParts broker, QueueTimer timer, SessionTable table)
{
    private readonly LinkedList<SessionRequest> _waiting = [];
    private List<News> _news = [];

    // The first deadline of those that wait, or earlier.
    private DateTimeOffset _nextTimeout = DateTimeOffset.MaxValue;
    private bool _isTelling;

    /// <summary>Under the lock.</summary>
    public bool HasWaiting => _waiting.Count > 0;

    /// <summary>Under the lock: the next moment at which a lock or a wait ends.</summary>
    public DateTimeOffset NextMoment => table.NextEnd < _nextTimeout ? table.NextEnd : _nextTimeout;

    /// <summary>Gives a session at once, or as soon as there is one.</summary>
    public void Accept(SessionRequest request)
    {
        if (queue.Change<QueueResult?>(QueueResult.Failed, () => TryAccept(request)) is { } why)
            Tell(request, () => request.OnRefused(why));
        queue.Dispatch();
    }

    /// <summary>Ends a wait. A session that the receiver got in the meantime is its own to release.</summary>
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

    /// <param name="by">The receiver; <c>null</c> for the one that has the session.</param>
    /// <returns>The end of the lock; <c>null</c> if the receiver doesn't have the session.</returns>
    public DateTimeOffset? Renew(string id, LinkId? by = null) =>
        InSession<DateTimeOffset?>(id, by, null, (session, now) =>
        {
            table.Renew(session, now + queue.Options.LockDuration);
            return session.LockedUntil;
        });

    public bool IsHeld(string id, LinkId? by = null) => InSession(id, by, false, (_, _) => true);

    /// <returns>The state, and whether the receiver has the session.</returns>
    public (byte[]? State, bool IsHeld) StateOf(string id, LinkId? by = null) =>
        InSession<(byte[]?, bool)>(id, by, (null, false), (session, _) => (session.State, true));

    /// <param name="whenLost">The result if the receiver doesn't have the session.</param>
    public T InSession<T>(string id, LinkId? by, T whenLost, Func<Session, DateTimeOffset, T> change) =>
        queue.Change(whenLost, () =>
        {
            var now = broker.Clock.Now;
            queue.Use.Touch(now);
            return !queue.IsDeleted && table.TryGetHeld(id, by, now, out var session) ? change(session, now) : whenLost;
        });

    /// <summary>Under the lock: whether the receiver can set the state now.</summary>
    public QueueResult CanSetState(string id, byte[]? state, LinkId? by, DateTimeOffset now)
    {
        // The journal would keep the state of a deleted queue for the next queue with its key.
        if (queue.Failure is not null || queue.IsDeleted || !table.TryGetHeld(id, by, now, out _))
            return QueueResult.SessionLockLost;
        if (state?.Length > queue.Options.MaxMessageSize)
            return QueueResult.StateTooLarge;
        return state is not null && (queue.IsFull || broker.Memory.IsExhausted)
            ? QueueResult.QuotaExceeded
            : QueueResult.Done;
    }

    /// <summary>Under the same hold of the lock.</summary>
    public void SetState(string id, byte[]? state) => table.SetState(table.Of(id), state);

    public Session? NextDue(DateTimeOffset now) => table.NextDue(now);

    /// <summary>Under the lock: a session's lock has expired.</summary>
    public void EndDue(Session session)
    {
        var lost = session.Holder!.Request;
        _news.Add(new(lost, lost.OnLost, IsAwaited: false));
        queue.Contents.EndHold(session, isExpired: true);
    }

    /// <summary>Under the lock: rejects receivers that have waited long enough.</summary>
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
                _news.Add(new(request, () => request.OnRefused(QueueResult.TimedOut), IsAwaited: true));
            }
            else if (request.Deadline < _nextTimeout)
            {
                _nextTimeout = request.Deadline;
            }
        }
    }

    /// <summary>Messages have arrived or returned, or a session is free.</summary>
    public void Dispatch()
    {
        foreach (var hold in queue.Change([], table.TakeWoken))
            hold.Dispatcher.Run();
        // A receiver may release the session at once, which calls this method again: one call notifies receivers, and the others leave their
        // news to it.
        if (!queue.Change(false, BeginTelling))
            return;
        while (queue.Change(null, TakeNews) is { } news)
        {
            foreach (var (request, call, _) in news)
                Tell(request, call);
        }
    }

    /// <summary>Rejects the receivers that wait, because the queue gives no more sessions.</summary>
    public void RefuseWaiting(QueueResult why)
    {
        List<SessionRequest> waiting;
        lock (queue.Gate)
        {
            waiting = [.. _waiting];
            _waiting.Clear();
            if (why != QueueResult.Disabled)
            {
                // News that is not delivered yet never will be once the queue has failed.
                waiting.AddRange(_news.Where(news => news.IsAwaited).Select(news => news.Request));
                _news.RemoveAll(news => news.IsAwaited);
            }
        }
        foreach (var request in waiting)
            Tell(request, () => request.OnRefused(why));
    }

    private QueueResult? TryAccept(SessionRequest request)
    {
        if (queue.IsDeleted)
            return QueueResult.Deleted;
        if (queue.IsReceiveDisabled)
            return QueueResult.Disabled;
        if (request.SessionId is not { } id)
            return TryAcceptNext(request);
        // The timer may be late.
        if (table.Of(id) is { Holder: not null } held && held.LockedUntil <= broker.Clock.Now)
            EndDue(held);
        var session = table.Of(id);
        if (session.Holder is not null)
            return QueueResult.SessionHeld;
        Give(session, request);
        return null;
    }

    private QueueResult? TryAcceptNext(SessionRequest request)
    {
        // At once, because the timeout may be zero.
        if (_waiting.Count == 0 && HasReady)
        {
            Give(table.NextReady!, request);
            return null;
        }
        if (request.Patience <= TimeSpan.Zero)
            return QueueResult.TimedOut;
        request.Deadline = broker.Clock.Now + request.Patience;
        _waiting.AddLast(request);
        _nextTimeout = request.Deadline < _nextTimeout ? request.Deadline : _nextTimeout;
        timer.ArmNoLaterThan(request.Deadline);
        return null;
    }

    private void Give(Session session, SessionRequest request)
    {
        var now = broker.Clock.Now;
        queue.Use.Touch(now);
        table.Give(session, now + queue.Options.LockDuration, given => new SessionHold(
            given,
            queue.NewDispatcher(given),
            request
        ));
        var hold = session.Holder!;
        _news.Add(new(request, () => request.OnGiven(hold), IsAwaited: true));
    }

    private void Tell(SessionRequest request, Action call) =>
        broker.Defects.Guard($"notifying a receiver of session '{request.SessionId}' of queue '{queue.Name}'", call);

    // A queue that delivers no messages gives no sessions to those who wait either.
    private bool HasReady => table.NextReady is { } ready && queue.Contents.NextIn(ready) is not null;

    private bool BeginTelling() => !_isTelling && (_isTelling = true);

    /// <returns><c>null</c> if there are none. The next call that has some delivers them.</returns>
    private List<News>? TakeNews()
    {
        while (_waiting.First?.Value is { } first && (first.IsGone || HasReady))
        {
            _waiting.RemoveFirst();
            if (!first.IsGone && HasReady)
                Give(table.NextReady!, first);
        }
        _isTelling = _news.Count > 0;
        var taken = _isTelling ? _news : null;
        _news = [];
        return taken;
    }

    /// <summary>A call to make once the lock is released.</summary>
    /// <param name="IsAwaited">Whether it answers the request.</param>
    private readonly record struct News(SessionRequest Request, Action Call, bool IsAwaited);
}
