namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What has happened to a queue's messages since its creation; <see cref="QueueCounts"/> says what each means.</summary>
internal sealed class QueueTotals
{
    public long Incoming;
    public long Outgoing;
    public long Completed;
    public long Abandoned;
    public long DeadLettered;
    public long LockLost;
    public long LateCompletes;
    public long LateDeadLetters;
    public long ExpiredLocks;
    public long Redelivered;
    public long Expired;
    public long Purged;
    public long Cancelled;
    public long Duplicates;

    public void Count(Transition transition)
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
    public void CountLate(Settlement settlement)
    {
        LockLost++;
        if (settlement is Settlement.Completed)
            LateCompletes++;
        else if (settlement is Settlement.DeadLettered)
            LateDeadLetters++;
    }

    /// <summary>Totals, and what the store holds now.</summary>
    public QueueCounts With(MessageStore store) => new()
    {
        Incoming = Incoming,
        Outgoing = Outgoing,
        Completed = Completed,
        Abandoned = Abandoned,
        DeadLettered = DeadLettered,
        LockLost = LockLost,
        LateCompletes = LateCompletes,
        LateDeadLetters = LateDeadLetters,
        ExpiredLocks = ExpiredLocks,
        Redelivered = Redelivered,
        Expired = Expired,
        Purged = Purged,
        Cancelled = Cancelled,
        Duplicates = Duplicates,
        Active = store.CountOf(MessageState.Active),
        Locked = store.CountOf(MessageState.Locked),
        Deferred = store.CountOf(MessageState.Deferred),
        Scheduled = store.CountOf(MessageState.Scheduled),
    };
}
