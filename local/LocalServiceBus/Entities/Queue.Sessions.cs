namespace DroneDelivery.LocalServiceBus.Entities;

// A queue with sessions gives each of them to one receiver at a time. See Session and SessionTable.
internal sealed partial class Queue
{
    private readonly SessionTable? _sessions;
    private readonly LinkedList<SessionRequest> _waiting = [];
    private List<SessionNews> _news = [];

    // No later than the first deadline of those that wait.
    private DateTimeOffset _nextTimeout = DateTimeOffset.MaxValue;
    private bool _isTelling;

    /// <summary>How many wait for a session.</summary>
    internal int WaitingForSessions => Change(0, () => _waiting.Count);

    /// <summary>Gives a session at once, or once there is one.</summary>
    internal void AcceptSession(SessionRequest request)
    {
        if (Change<QueueResult?>(QueueResult.Failed, () => Accept(request)) is { } why)
            Tell(request, () => request.OnRefused(why));
        Dispatch();
    }

    /// <summary>Whoever asked is gone. A session that it got meanwhile is its own to give back.</summary>
    internal void Forget(SessionRequest request) => Change(false, () => _waiting.Remove(request));

    /// <summary>What its receiver has not settled goes back as if it had never been handed out.</summary>
    internal void GiveBack(SessionHold hold)
    {
        Change(() =>
        {
            if (hold.Session.Holder == hold)
                _contents.EndHold(hold.Session, isExpired: false);
        });
        Dispatch();
    }

    /// <param name="by">Who asks; null: whoever has the session.</param>
    /// <returns>Until when the session is locked now; null: nobody has it, or another.</returns>
    internal DateTimeOffset? RenewSession(string id, LinkId? by = null) =>
        InSession<DateTimeOffset?>(id, by, null, (session, now) =>
        {
            _sessions!.Renew(session, now + Options.LockDuration);
            return session.LockedUntil;
        });

    internal bool IsSessionHeld(string id, LinkId? by = null) => InSession(id, by, false, (_, _) => true);

    /// <summary>What a receiver keeps with the session, and whether there is one that has it.</summary>
    internal (byte[]? State, bool IsHeld) SessionState(string id, LinkId? by = null) =>
        InSession<(byte[]?, bool)>(id, by, (null, false), (session, _) => (session.State, true));

    internal QueueResult SetSessionState(string id, byte[]? state)
    {
        var request = new SetStateRequest(this, id, state, by: null);
        Do(request);
        return request.Result;
    }

    /// <summary>Under the lock.</summary>
    internal QueueResult CanSetState(string id, byte[]? state, LinkId? by, DateTimeOffset now)
    {
        // The next queue with its key would have what the journal is told after this queue's end.
        if (Failure is not null || _isDeleted || !_sessions!.TryGetHeld(id, by, now, out _))
            return QueueResult.SessionLockLost;
        if (state?.Length > Options.MaxMessageSize)
            return QueueResult.StateTooLarge;
        return state is not null && (_contents.IsFull() || _memory.IsExhausted)
            ? QueueResult.QuotaExceeded
            : QueueResult.Done;
    }

    /// <summary>Under the same hold of the lock.</summary>
    internal void SetState(string id, byte[]? state) => _sessions!.SetState(_sessions.Of(id), state);

    /// <param name="whenLost">The answer if nobody has the session, or another.</param>
    private T InSession<T>(string id, LinkId? by, T whenLost, Func<Session, DateTimeOffset, T> change) =>
        Change(whenLost, () =>
        {
            var now = _clock.Now;
            Touch(now);
            return !_isDeleted && _sessions!.TryGetHeld(id, by, now, out var session) ? change(session, now) : whenLost;
        });

    private QueueResult? Accept(SessionRequest request)
    {
        if (_isDeleted)
            return QueueResult.Deleted;
        if (IsReceiveDisabled)
            return QueueResult.Disabled;
        if (request.SessionId is not { } id)
        {
            // At once, as the wait may be of no length.
            if (_waiting.Count == 0 && HasReady)
            {
                Give(_sessions!.NextReady!, request);
                return null;
            }
            if (request.Patience <= TimeSpan.Zero)
                return QueueResult.TimedOut;
            request.Deadline = _clock.Now + request.Patience;
            _waiting.AddLast(request);
            _nextTimeout = request.Deadline < _nextTimeout ? request.Deadline : _nextTimeout;
            _timer.ArmNoLaterThan(request.Deadline);
            return null;
        }
        // The timer may be late.
        if (_sessions!.Of(id) is { Holder: not null } held && held.LockedUntil <= _clock.Now)
            EndDue(held);
        var session = _sessions.Of(id);
        if (session.Holder is not null)
            return QueueResult.SessionHeld;
        Give(session, request);
        return null;
    }

    private void Give(Session session, SessionRequest request)
    {
        var now = _clock.Now;
        Touch(now);
        _sessions!.Give(session, now + Options.LockDuration, given => new SessionHold(
            given,
            NewDispatcher(given),
            request
        ));
        var hold = session.Holder!;
        _news.Add(new(request, () => request.OnGiven(hold), IsAwaited: true));
    }

    private void TakeTimedOut(DateTimeOffset now)
    {
        if (_nextTimeout > now)
            return;
        _nextTimeout = DateTimeOffset.MaxValue;
        var node = _waiting.First;
        while (node is not null)
        {
            var (request, next) = (node.Value, node.Next);
            if (request.Deadline <= now)
            {
                _waiting.Remove(node);
                _news.Add(new(request, () => request.OnRefused(QueueResult.TimedOut), IsAwaited: true));
            }
            else if (request.Deadline < _nextTimeout)
            {
                _nextTimeout = request.Deadline;
            }
            node = next;
        }
    }

    /// <summary>Messages have come, or come back, or a session is free.</summary>
    private void DispatchSessions()
    {
        foreach (var hold in Change([], _sessions!.TakeWoken))
            hold.Dispatcher.Run();
        // Who is told may give the session back at once, which comes here again: one thread tells, and the others leave their news to it.
        if (!Change(false, BeginTelling))
            return;
        while (Change(null, TakeNews) is { } news)
        {
            foreach (var (request, call, _) in news)
                Tell(request, call);
        }
    }

    /// <summary>What a receiver's side throws concerns nobody else, least of all those who are told after it.</summary>
    private void Tell(SessionRequest request, Action call) =>
        _defects.Guard($"telling who asked for session '{request.SessionId}' of queue '{Name}'", call);

    /// <summary>A queue that gives no messages away gives no sessions to those who wait either.</summary>
    private bool HasReady => _sessions!.NextReady is { } ready && _contents.NextIn(ready) is not null;

    private bool BeginTelling() => !_isTelling && (_isTelling = true);

    /// <returns>Null: there are none, and whoever has some next tells them.</returns>
    private List<SessionNews>? TakeNews()
    {
        while (_waiting.First?.Value is { } first && (first.IsGone || HasReady))
        {
            _waiting.RemoveFirst();
            if (!first.IsGone && HasReady)
                Give(_sessions!.NextReady!, first);
        }
        _isTelling = _news.Count > 0;
        var taken = _isTelling ? _news : null;
        _news = [];
        return taken;
    }

    private void EndDue(Session session)
    {
        var lost = session.Holder!.Request;
        _news.Add(new(lost, lost.OnLost, IsAwaited: false));
        _contents.EndHold(session, isExpired: true);
    }

    /// <summary>Nobody will get a session any more, or for long.</summary>
    private void RefuseWaiting(QueueResult why)
    {
        SessionRequest[] waiting;
        lock (_gate)
        {
            waiting = [.. _waiting];
            if (why != QueueResult.Disabled)
            {
                // Those that have an answer and were not told yet: nothing tells them once the queue has failed.
                waiting = [.. waiting, .. _news.Where(news => news.IsAwaited).Select(news => news.Request)];
                _news.RemoveAll(news => news.IsAwaited);
            }
            _waiting.Clear();
        }
        foreach (var request in waiting)
            Tell(request, () => request.OnRefused(why));
    }

    private Dispatcher NewDispatcher(Lane lane) => new(_contents, lane, _gate, _defects, Fail);

    /// <summary>A call to make once the lock is released.</summary>
    /// <param name="IsAwaited">Whether it answers the request.</param>
    private readonly record struct SessionNews(SessionRequest Request, Action Call, bool IsAwaited);
}
