namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>One moment of a queue. Totals run since the queue was created; gauges are messages (or bytes) held now. They add up:
/// <c>Incoming = Completed + DeadLettered + Expired + Purged + Cancelled + Active + Locked + Deferred + Scheduled</c>, where a message
/// that is dead-lettered because it expired counts as DeadLettered.</summary>
public record QueueCounts
{
    /// <summary>Messages accepted from senders, scheduled ones included, recognized duplicates not.</summary>
    public long Incoming { get; internal set; }

    /// <summary>Deliveries to receivers: a message that comes back and goes out again counts twice.</summary>
    public long Outgoing { get; internal set; }

    /// <summary>Messages that receivers have completed, or that went on to another entity.</summary>
    public long Completed { get; internal set; }

    public long Abandoned { get; internal set; }
    public long DeadLettered { get; internal set; }

    /// <summary>Settlements and renewals that came after the lock was gone.</summary>
    public long LockLost { get; internal set; }

    /// <summary>Completions among <see cref="LockLost"/>.</summary>
    public long LateCompletes { get; internal set; }

    /// <summary>Dead-letterings among <see cref="LockLost"/>.</summary>
    public long LateDeadLetters { get; internal set; }

    /// <summary>Locks that ran out before their receiver settled.</summary>
    public long ExpiredLocks { get; internal set; }

    /// <summary>Deliveries of a message whose delivery had failed before; part of <see cref="Outgoing"/>.</summary>
    public long Redelivered { get; internal set; }

    /// <summary>Messages dropped at the end of their time to live.</summary>
    public long Expired { get; internal set; }

    public long Purged { get; internal set; }

    /// <summary>Scheduled messages that were cancelled before they were due.</summary>
    public long Cancelled { get; internal set; }

    /// <summary>Messages accepted and dropped because their id was known.</summary>
    public long Duplicates { get; internal set; }

    public long Active { get; internal set; }
    public long Locked { get; internal set; }
    public long Deferred { get; internal set; }
    public long Scheduled { get; internal set; }

    /// <summary>Messages held by the queue's dead-letter queue, locked ones included.</summary>
    public long DeadLetter { get; internal set; }

    /// <summary>The same of messages that could not be forwarded.</summary>
    public long TransferDeadLetter { get; internal set; }

    /// <summary>What the management API calls active: ready for delivery, messages that a receiver has locked included.</summary>
    public long ActiveMessageCount => Active + Locked;

    public long SizeInBytes { get; internal set; }

    internal void Count(Transition transition)
    {
        switch (transition)
        {
            case Transition.Arrived:
                Incoming++;
                break;
            case Transition.Completed:
                Completed++;
                break;
            case Transition.DeadLettered:
                DeadLettered++;
                break;
            case Transition.Expired:
                Expired++;
                break;
            case Transition.Purged:
                Purged++;
                break;
            case Transition.Cancelled:
                Cancelled++;
                break;
        }
    }

    /// <summary>A settlement was refused because the lock was gone.</summary>
    internal void CountLate(Settlement settlement)
    {
        LockLost++;
        if (settlement is Settlement.Completed)
            LateCompletes++;
        else if (settlement is Settlement.DeadLettered)
            LateDeadLetters++;
    }
}
