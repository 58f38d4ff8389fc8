namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The result of an operation on a queue. Unless it's <see cref="Done"/>, nothing has changed.</summary>
internal enum QueueResult
{
    Done,

    Disabled,

    Deleted,

    Failed,

    QuotaExceeded,

    BrokerFull,

    NotStored,

    /// <summary>A message has no session ID, but the queue requires sessions.</summary>
    NoSession,

    LockLost,

    /// <summary>The session lock has expired, in a queue with sessions.</summary>
    SessionLockLost,

    /// <summary>Messages in a dead-letter queue can't be dead-lettered.</summary>
    NotAllowed,

    /// <summary>The properties exceed <see cref="MemorySize.MaxProperties"/>. The message stays locked.</summary>
    PropertiesTooLarge,

    /// <summary>A message to cancel isn't scheduled.</summary>
    NotScheduled,

    /// <summary>The session state exceeds <see cref="QueueOptions.MaxMessageSize"/>.</summary>
    StateTooLarge,

    SessionHeld,

    /// <summary>No session became available within the timeout.</summary>
    TimedOut,
}
