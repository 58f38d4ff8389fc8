namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages of one session id, for one receiver at a time. Changed only under its queue's lock.</summary>
internal sealed class Session(string id) : Lane
{
    public string Id => id;

    /// <summary>Null: the next who asks may have it.</summary>
    public SessionHold? Holder { get; set; }

    /// <summary>The end of the holder's lock, and of the locks on all its messages.</summary>
    public DateTimeOffset LockedUntil { get; set; } = DateTimeOffset.MinValue;

    public HashSet<QueuedMessage> Locked { get; } = [];

    /// <summary>What receivers keep with the session; null: nothing.</summary>
    public byte[]? State { get; set; }

    /// <summary>Messages in any state.</summary>
    public int Count { get; set; }

    public bool IsUnused => Count == 0 && State is null && Holder is null;

    /// <summary>Among those that can be given to a receiver.</summary>
    public LinkedListNode<Session> Place => field ??= new(this);

    public long Size => MemorySize.Session(Id, State);
}

/// <summary>One receiver's hold on a session, until it gives the session back or its lock ends.</summary>
/// <param name="session">It has one hold at a time.</param>
/// <param name="dispatcher">Brings the session's messages to the receiver.</param>
internal sealed class SessionHold(Session session, Dispatcher dispatcher, SessionRequest request)
{
    public Session Session => session;
    public Dispatcher Dispatcher => dispatcher;
    public SessionRequest Request => request;

    /// <summary>When the lock ends unless it is renewed.</summary>
    public DateTimeOffset LockedUntil { get; } = session.LockedUntil;

    /// <summary>A message came that nobody has dispatched yet.</summary>
    public bool IsWoken { get; set; }
}

/// <summary>A client's link, by which it says in whose name it asks for something.</summary>
/// <param name="Connection">Compared only.</param>
/// <param name="Name">On that connection; null: any of its links.</param>
internal readonly record struct LinkId(object Connection, string? Name)
{
    public bool Means(LinkId link) => Connection == link.Connection && (Name is null || Name == link.Name);
}

/// <summary>A receiver's wish for a session. It is answered once, on any thread, outside of the queue's lock; must not block.</summary>
/// <param name="sessionId">Null: the next that has messages and no receiver.</param>
/// <param name="patience">How long it waits for that.</param>
internal abstract class SessionRequest(string? sessionId, TimeSpan patience)
{
    public string? SessionId => sessionId;
    public TimeSpan Patience => patience;

    /// <summary>When the wait ends.</summary>
    public DateTimeOffset Deadline { get; set; }

    /// <summary>Where the session is received; null: unknown.</summary>
    public virtual LinkId? Link => null;

    /// <summary>Nobody waits for the answer any more.</summary>
    public virtual bool IsGone => false;

    public abstract void OnGiven(SessionHold hold);

    public abstract void OnRefused(QueueResult why);

    /// <summary>The lock on the session has ended before it was given back. Comes behind the end of <see cref="OnGiven"/>.</summary>
    public abstract void OnLost();
}
