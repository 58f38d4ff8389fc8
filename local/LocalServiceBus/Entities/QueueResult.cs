namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a queue answers to what is asked of it: that it is done, or why it is not, and nothing has changed then.</summary>
internal enum QueueResult
{
    Done,

    /// <summary>See <see cref="QueueOptions.Status"/>.</summary>
    Disabled,

    Deleted,

    /// <summary>See <see cref="Queue.Failure"/>.</summary>
    Failed,

    QuotaExceeded,

    /// <summary>See <see cref="MemoryUse.Most"/>.</summary>
    BrokerFull,

    /// <summary>See <see cref="Queue.JournalTrouble"/>.</summary>
    NotKept,

    /// <summary>A message without a session id in a queue with sessions.</summary>
    NoSession,

    LockLost,

    /// <summary>The same in a queue with sessions.</summary>
    SessionLockLost,

    /// <summary>A message in a dead-letter queue cannot be dead-lettered.</summary>
    NotAllowed,

    /// <summary>See <see cref="MemorySize.MaxProperties"/>; the message stays locked.</summary>
    PropertiesTooLarge,

    /// <summary>A message to cancel is not scheduled, or no longer.</summary>
    NotScheduled,

    /// <summary>Of a session; see <see cref="QueueOptions.MaxMessageSize"/>.</summary>
    StateTooLarge,

    /// <summary>Another receiver has the session.</summary>
    SessionHeld,

    /// <summary>No session had messages and no receiver in all the time that was given.</summary>
    TimedOut,
}
