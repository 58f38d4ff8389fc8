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
    public long ExpiredLocks;
    public long Redelivered;
    public long Expired;
    public long Purged;
    public long Cancelled;
    public long Duplicates;
}
