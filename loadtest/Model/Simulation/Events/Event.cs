namespace DroneDelivery.Model.Simulation.Events;

internal enum EventKind : byte
{
    /// <summary>A user sends a request.</summary>
    Send,

    /// <summary>Ingestion has put a user's message into the queue and answers.</summary>
    Accept,

    /// <summary>What a handler of Workflow waits for has come.</summary>
    Handler,

    /// <summary>What one of its calls waits for has come.</summary>
    Call,

    /// <summary>A lock that was renewed ends. (Other locks are in <see cref="Queue.LockEnds"/>.)</summary>
    LockEnd,

    /// <summary>Workflow begins to receive.</summary>
    Open,

    /// <summary>The break of a circuit is over, for which a Workflow waits that holds.</summary>
    BreakEnd,

    /// <summary>The copy of a message that was put off comes.</summary>
    Copy,

    /// <summary>Something goes wrong.</summary>
    Fault,

    /// <summary>It is over.</summary>
    Repair,

    /// <summary>The counters are read.</summary>
    Sample,
}

/// <param name="Who">User, handler, call or message.</param>
/// <param name="What">Lock token of a message, life of a handler or call, or replica that a request went to.</param>
internal readonly record struct Event(EventKind Kind, int Who, int What);
