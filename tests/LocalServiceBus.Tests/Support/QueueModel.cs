namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A reference model of a queue: a list of messages that every operation searches.</summary>
internal sealed class QueueModel(
    bool hasSessions,
    TimeSpan lockDuration,
    int maxDeliveryCount,
    bool buriesExpired = false
)
{
    // Sessions with a receiver, and when their locks expire.
    private readonly Dictionary<string, DateTimeOffset> _held = [];
    private long _lastNumber;

    public List<Entry> Messages { get; } = [];
    public int Dead { get; set; }
    public DateTimeOffset Now { get; set; }

    public bool IsHeld(string session) => _held.ContainsKey(session);

    public IEnumerable<string> Held => _held.Keys;

    /// <summary>Sessions that are available to the next request.</summary>
    public IEnumerable<string> Free =>
        Messages
            .Where(it => it.State == MessageState.Active && !IsHeld(it.Session))
            .Select(it => it.Session)
            .Distinct();

    public void Send(string session, TimeSpan? timeToLive, DateTimeOffset? due)
    {
        var entry = new Entry
        {
            Session = session,
            Number = ++_lastNumber,
            TimeToLive = timeToLive,
            Due = due,
        };
        Messages.Add(entry);
        if (due is null)
            Activate(entry, Now);
        else
            entry.State = MessageState.Scheduled;
    }

    public void Accept(string session) => _held[session] = Now + lockDuration;

    public void Release(string session)
    {
        _held.Remove(session);
        foreach (var entry in LockedIn(session))
            Return(entry, Now);
    }

    public List<Entry> Receive(string session, int count)
    {
        var taken = Messages
            .Where(it => it.State == MessageState.Active && it.Session == session)
            .OrderBy(it => it.Number)
            .Take(count)
            .ToList();
        foreach (var entry in taken)
            Lock(entry);
        return taken;
    }

    public void Lock(Entry entry)
    {
        entry.State = MessageState.Locked;
        entry.LockedUntil = Now + lockDuration;
    }

    public void Settle(Entry entry, Settlement settlement)
    {
        switch (settlement)
        {
            case Settlement.Completed:
                Messages.Remove(entry);
                break;
            case Settlement.Abandoned:
                Fail(entry, Now);
                break;
            case Settlement.Deferred:
                entry.IsDeferred = true;
                Return(entry, Now);
                break;
            case Settlement.DeadLettered:
                Bury(entry);
                break;
            default:
                Return(entry, Now);
                break;
        }
    }

    public void Expire(Entry entry)
    {
        if (buriesExpired)
            Bury(entry);
        else
            Messages.Remove(entry);
    }

    /// <summary>Removes the first messages that match.</summary>
    public int Drop(Func<Entry, bool> mayGo, int most)
    {
        List<Entry> going = [.. Messages.Where(mayGo).OrderBy(it => it.Number).Take(most)];
        going.ForEach(it => Messages.Remove(it));
        return going.Count;
    }

    /// <summary>Applies everything that is due, each at its time.</summary>
    public void AdvanceTo(DateTimeOffset target)
    {
        while (Next(target) is var (time, happens))
            happens(time);
        Now = target;
    }

    private (DateTimeOffset Time, Action<DateTimeOffset> Happens)? Next(DateTimeOffset target)
    {
        var events = new List<(DateTimeOffset Time, long Order, Action<DateTimeOffset> Happens)>();
        foreach (var entry in Messages)
        {
            if (entry.State == MessageState.Active)
                events.Add((entry.Expires, entry.Number, _ => Expire(entry)));
            if (entry.State == MessageState.Scheduled)
                events.Add((entry.Due!.Value, entry.Number, time => ComeDue(entry, time)));
            if (entry.State == MessageState.Locked && !hasSessions)
                events.Add((entry.LockedUntil, entry.Number, time => Fail(entry, time)));
        }
        events.AddRange(_held.Select(it => (it.Value, 0L, (Action<DateTimeOffset>)(time => EndLock(it.Key, time)))));
        return events
            .Where(it => it.Time <= target)
            .OrderBy(it => it.Time)
            .ThenBy(it => it.Order)
            .Select(it => ((DateTimeOffset, Action<DateTimeOffset>)?)(it.Time, it.Happens))
            .FirstOrDefault();
    }

    private void EndLock(string session, DateTimeOffset time)
    {
        _held.Remove(session);
        foreach (var entry in LockedIn(session))
            Fail(entry, time);
    }

    private List<Entry> LockedIn(string session) =>
        [.. Messages.Where(it => it.State == MessageState.Locked && it.Session == session)];

    private void ComeDue(Entry entry, DateTimeOffset time)
    {
        entry.Number = ++_lastNumber;
        Activate(entry, time);
    }

    private static void Activate(Entry entry, DateTimeOffset time)
    {
        entry.State = MessageState.Active;
        entry.Expires = entry.TimeToLive is { } lives ? time + lives : DateTimeOffset.MaxValue;
    }

    private void Fail(Entry entry, DateTimeOffset time)
    {
        if (++entry.Deliveries == maxDeliveryCount)
            Bury(entry);
        else
            Return(entry, time);
    }

    private void Return(Entry entry, DateTimeOffset time)
    {
        if (entry.IsDeferred)
            entry.State = MessageState.Deferred;
        else if (entry.Expires <= time)
            Expire(entry);
        else
            entry.State = MessageState.Active;
    }

    private void Bury(Entry entry)
    {
        Messages.Remove(entry);
        Dead++;
    }

    public sealed class Entry
    {
        public required string Session { get; init; }
        public required long Number { get; set; }
        public TimeSpan? TimeToLive { get; init; }
        public DateTimeOffset? Due { get; init; }
        public MessageState State { get; set; }
        public bool IsDeferred { get; set; }
        public int Deliveries { get; set; }
        public DateTimeOffset Expires { get; set; }
        public DateTimeOffset LockedUntil { get; set; }

        /// <summary>The lock of the last delivery.</summary>
        public MessageLock? Held { get; set; }

        public override string ToString() => $"{Number} {Session} {State} {Deliveries}";
    }
}
