using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The sessions of one queue that have messages, a state, or a receiver. Requires the queue's lock.</summary>
internal sealed class SessionTable(QueueTimer timer, MemoryShare memory, IQueueJournal journal)
{
    private readonly Dictionary<string, Session> _sessions = [];
    private readonly LinkedList<Session> _ready = []; // In the order in which they became available.
    private readonly SortedSet<Session> _held = new(ByEndOfLock);
    private List<SessionHold> _woken = [];

    /// <summary>The session that has been available the longest; <c>null</c> if there is none.</summary>
    public Session? NextReady => _ready.First?.Value;

    public DateTimeOffset NextEnd => _held.Min?.LockedUntil ?? DateTimeOffset.MaxValue;

    public Session Of(string id)
    {
        if (_sessions.TryGetValue(id, out var session))
            return session;
        session = _sessions[id] = new Session(id);
        memory.Add(session.Size);
        return session;
    }

    /// <param name="by">The receiver that must hold it; <c>null</c> for any.</param>
    public bool TryGetHeld(string id, LinkId? by, DateTimeOffset now, [NotNullWhen(true)] out Session? session) =>
        _sessions.TryGetValue(id, out session)
        && session.Holder is { } hold
        && now < session.LockedUntil
        && (by is null || hold.Request.Link is not { } link || by.Value.Matches(link));

    public void OnPut(QueuedMessage message)
    {
        if (message.Lane is not Session session)
            return;
        session.Count++;
        if (message.State == MessageState.Active)
            OnActive(message);
    }

    public void OnTakenOut(QueuedMessage message)
    {
        if (message.Lane is not Session session)
            return;
        session.Count--;
        if (session.Next is null && session.Place.List is not null)
            _ready.Remove(session.Place);
        DropIfUnused(session);
    }

    public void OnActive(QueuedMessage message)
    {
        var session = (Session)message.Lane;
        if (session.Holder is { } hold)
            Wake(hold);
        else if (session.Place.List is null)
            _ready.AddLast(session.Place);
    }

    public void Assign(Session session, DateTimeOffset until, Func<Session, SessionHold> hold)
    {
        if (session.Place.List is not null)
            _ready.Remove(session.Place);
        session.LockedUntil = until;
        session.Holder = hold(session);
        _held.Add(session);
        timer.ArmNoLaterThan(until);
    }

    public void Renew(Session session, DateTimeOffset until)
    {
        _held.Remove(session);
        session.LockedUntil = until;
        _held.Add(session);
        timer.ArmNoLaterThan(until);
    }

    /// <summary>Ends the hold on a session. The caller returns its messages afterward.</summary>
    public void TakeBack(Session session)
    {
        _held.Remove(session);
        session.Holder!.Dispatcher.Stop();
        session.Holder = null;
        if (session.Next is not null)
            _ready.AddLast(session.Place);
    }

    public void DropIfUnused(Session session)
    {
        if (session.IsUnused && _sessions.Remove(session.Id))
            memory.Add(-session.Size);
    }

    public void SetState(Session session, byte[]? state)
    {
        RestoreState(session, state);
        journal.KeepState(session.Id, state);
    }

    public void RestoreState(Session session, byte[]? state)
    {
        memory.Add(-session.Size);
        session.State = state;
        memory.Add(session.Size);
    }

    public Session? NextDue(DateTimeOffset now) => _held.Min is { } first && first.LockedUntil <= now ? first : null;

    /// <summary>Returns the receivers that got messages since the last call.</summary>
    public IReadOnlyList<SessionHold> TakeWoken()
    {
        if (_woken.Count == 0)
            return [];
        var woken = _woken;
        _woken = [];
        foreach (var hold in woken)
            hold.IsWoken = false;
        return woken;
    }

    public void WakeAll()
    {
        foreach (var session in _held.Where(session => session.Next is not null))
            Wake(session.Holder!);
    }

    public void WakeHolderOf(Lane lane)
    {
        if (lane is Session { Holder: { } hold, Next: not null })
            Wake(hold);
    }

    public void Stop()
    {
        foreach (var session in _sessions.Values)
            session.Holder?.Dispatcher.Stop();
    }

    private void Wake(SessionHold hold)
    {
        if (hold.IsWoken)
            return;
        hold.IsWoken = true;
        _woken.Add(hold);
    }

    private static readonly Comparer<Session> ByEndOfLock = Comparer<Session>.Create(
        static (one, other) =>
            one.LockedUntil.CompareTo(other.LockedUntil) is not 0 and var byTime
                ? byTime
                : string.CompareOrdinal(one.Id, other.Id)
    );
}
