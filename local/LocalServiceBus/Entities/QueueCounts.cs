namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A snapshot of a queue's counters. Totals count since the queue was created; other values are current. They
/// add up: <c>Incoming = Completed + DeadLettered + Expired + Purged + Cancelled + Active + Locked + Deferred +
/// Scheduled</c>. An expired message that is dead-lettered counts as DeadLettered.</summary>
public record QueueCounts
{
    /// <summary>Messages accepted from senders, including scheduled messages and excluding duplicates.</summary>
    public long Incoming { get; internal set; }

    /// <summary>Deliveries to receivers, including redeliveries.</summary>
    public long Outgoing { get; internal set; }

    /// <summary>Messages completed by receivers or moved to another entity.</summary>
    public long Completed { get; internal set; }

    public long Abandoned { get; internal set; }
    public long DeadLettered { get; internal set; }

    /// <summary>Settlements and renewals after the lock expired.</summary>
    public long LockLost { get; internal set; }

    /// <summary>Completions included in <see cref="LockLost"/>.</summary>
    public long LateCompletes { get; internal set; }

    /// <summary>Dead-letterings included in <see cref="LockLost"/>.</summary>
    public long LateDeadLetters { get; internal set; }

    /// <summary>Locks that expired before settlement.</summary>
    public long ExpiredLocks { get; internal set; }

    /// <summary>Deliveries after a failed delivery of the same message. Included in <see cref="Outgoing"/>.</summary>
    public long Redelivered { get; internal set; }

    /// <summary>Messages dropped because their time to live ended.</summary>
    public long Expired { get; internal set; }

    public long Purged { get; internal set; }

    /// <summary>Scheduled messages canceled before they were due.</summary>
    public long Cancelled { get; internal set; }

    /// <summary>Messages accepted but dropped by duplicate detection.</summary>
    public long Duplicates { get; internal set; }

    public long Active { get; internal set; }
    public long Locked { get; internal set; }
    public long Deferred { get; internal set; }
    public long Scheduled { get; internal set; }

    /// <summary>Messages in the dead-letter queue, including locked ones.</summary>
    public long DeadLetter { get; internal set; }

    /// <summary>Messages in the transfer dead-letter queue, including locked ones.</summary>
    public long TransferDeadLetter { get; internal set; }

    /// <summary>The number of active messages as defined by the management API, which includes locked ones.</summary>
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

    /// <summary>Counts a settlement that was rejected because the lock had expired.</summary>
    internal void CountLate(Settlement settlement)
    {
        LockLost++;
        if (settlement is Settlement.Completed)
            LateCompletes++;
        else if (settlement is Settlement.DeadLettered)
            LateDeadLetters++;
    }
}
