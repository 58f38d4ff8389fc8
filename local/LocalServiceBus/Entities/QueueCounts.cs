namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>One moment of a queue. Totals run since the queue was created; gauges are messages (or bytes) held now. They add up:
/// <c>Incoming = Completed + DeadLettered + Expired + Purged + Cancelled + Active + Locked + Deferred + Scheduled</c>, where a message
/// that is dead-lettered because it expired counts as DeadLettered.</summary>
public sealed record QueueCounts
{
    /// <summary>Messages accepted from senders, scheduled ones included, recognised duplicates not.</summary>
    public long Incoming { get; init; }

    /// <summary>Deliveries to receivers: a message that comes back and goes out again counts twice.</summary>
    public long Outgoing { get; init; }

    /// <summary>Messages that receivers have completed, or that went on to another entity.</summary>
    public long Completed { get; init; }

    public long Abandoned { get; init; }
    public long DeadLettered { get; init; }

    /// <summary>Settlements and renewals that came after the lock was gone.</summary>
    public long LockLost { get; init; }

    /// <summary>Completions among <see cref="LockLost"/>.</summary>
    public long LateCompletes { get; init; }

    /// <summary>Dead-letterings among <see cref="LockLost"/>.</summary>
    public long LateDeadLetters { get; init; }

    /// <summary>Locks that ran out before their receiver settled.</summary>
    public long ExpiredLocks { get; init; }

    /// <summary>Deliveries of a message whose delivery had failed before; part of <see cref="Outgoing"/>.</summary>
    public long Redelivered { get; init; }

    /// <summary>Messages dropped at the end of their time to live.</summary>
    public long Expired { get; init; }

    public long Purged { get; init; }

    /// <summary>Scheduled messages that were cancelled before they were due.</summary>
    public long Cancelled { get; init; }

    /// <summary>Messages accepted and dropped because their id was known.</summary>
    public long Duplicates { get; init; }

    public long Active { get; init; }
    public long Locked { get; init; }
    public long Deferred { get; init; }
    public long Scheduled { get; init; }

    /// <summary>Messages held by the queue's dead-letter queue, locked ones included.</summary>
    public long DeadLetter { get; init; }

    /// <summary>The same of messages that could not be forwarded.</summary>
    public long TransferDeadLetter { get; init; }

    /// <summary>What the management API calls active: ready for delivery, messages that a receiver has locked included.</summary>
    public long ActiveMessageCount => Active + Locked;

    public long SizeInBytes { get; init; }
}
