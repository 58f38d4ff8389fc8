namespace Azure.Messaging.ServiceBus;

/// <summary>Names of the message annotations by which a broker and its clients talk about a message.</summary>
internal static class Annotations
{
    public const string SequenceNumber = "x-opt-sequence-number";
    public const string EnqueueSequenceNumber = "x-opt-enqueue-sequence-number";
    public const string EnqueuedTime = "x-opt-enqueued-time";
    public const string LockedUntil = "x-opt-locked-until";
    public const string ScheduledEnqueueTime = "x-opt-scheduled-enqueue-time";
    public const string State = "x-opt-message-state";
    public const string PartitionKey = "x-opt-partition-key";
    public const string ViaPartitionKey = "x-opt-via-partition-key";
    public const string DeadLetterSource = "x-opt-deadletter-source";
}
