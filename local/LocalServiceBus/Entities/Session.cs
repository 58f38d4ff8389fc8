namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages of one session, for one receiver at a time. Changed only under its queue's lock.</summary>
internal sealed class Session(string id) : Lane
{
    public string Id => id;

    public SessionHold? Holder { get; set; }

    /// <summary>The expiry time of the session lock, and of the locks on its messages.</summary>
    public DateTimeOffset LockedUntil { get; set; } = DateTimeOffset.MinValue;

    public HashSet<QueuedMessage> Locked { get; } = [];

    public byte[]? State { get; set; }

    public int Count { get; set; }

    public bool IsUnused => Count == 0 && State is null && Holder is null;

    public LinkedListNode<Session> Place => field ??= new(this);

    public long Size => MemorySize.Session(Id, State);
}

/// <summary>A receiver's lock on a session, until it's released or expires.</summary>
internal sealed class SessionHold(Session session, Dispatcher dispatcher, SessionRequest request)
{
    public Session Session => session;
    public Dispatcher Dispatcher => dispatcher;
    public SessionRequest Request => request;

    /// <summary>The initial expiry time of the lock.</summary>
    public DateTimeOffset LockedUntil { get; } = session.LockedUntil;

    /// <summary><c>true</c> if there are messages that haven't been dispatched yet.</summary>
    public bool IsWoken { get; set; }
}

/// <param name="Name">The name of the link; <c>null</c> for any link of the connection.</param>
internal readonly record struct LinkId(object Connection, string? Name)
{
    public bool Matches(LinkId link) => Connection == link.Connection && (Name is null || Name == link.Name);
}

/// <summary>A receiver's request for a session. One response is sent on any thread, outside the queue's lock. Methods
/// must not block.</summary>
/// <param name="sessionId">The session to lock; <c>null</c> for the next available session with messages.</param>
/// <param name="maxWait">The maximum time to wait for a session.</param>
internal abstract class SessionRequest(string? sessionId, TimeSpan maxWait)
{
    public string? SessionId => sessionId;
    public TimeSpan MaxWait => maxWait;

    public DateTimeOffset Deadline { get; set; }

    public virtual LinkId? Link => null;

    /// <summary><c>true</c> if the client is no longer waiting.</summary>
    public virtual bool IsGone => false;

    public abstract void OnAssigned(SessionHold hold);

    public abstract void OnRejected(QueueResult why);

    /// <summary>Called when the session lock expires before it's released, after <see cref="OnAssigned"/> has
    /// returned.</summary>
    public abstract void OnLost();
}
