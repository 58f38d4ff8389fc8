namespace DroneDelivery.Model.Simulation.Events;

internal enum EventKind : byte
{
    Send,

    /// <summary>Ingestion has queued a user's message and responds.</summary>
    Accept,

    Handler,

    Call,

    /// <summary>A renewed lock expires. (Other locks are in <see cref="Queue.LockEnds"/>.)</summary>
    LockEnd,

    Open,

    /// <summary>The break of a circuit that a Workflow waits for is over.</summary>
    BreakEnd,

    Copy,

    Fault,

    Repair,

    Sample,
}

/// <param name="What">The lock token of a message, the life of a handler or call, or the replica that received a request.</param>
internal readonly record struct Event(EventKind Kind, int Who, int What);
