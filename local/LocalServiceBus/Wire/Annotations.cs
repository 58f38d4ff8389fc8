using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Message annotations of the service. Those in <see cref="IsBrokers"/> are the broker's word: what a sender wrote under
/// their names (as when it forwards a message it received) is dropped.</summary>
internal static class Annotations
{
    public const string SequenceNumber = "x-opt-sequence-number";
    public const string EnqueuedSequenceNumber = "x-opt-enqueue-sequence-number";
    public const string EnqueuedTime = "x-opt-enqueued-time";
    public const string LockedUntil = "x-opt-locked-until";
    public const string LockToken = "x-opt-lock-token";
    public const string DeadLetterSource = "x-opt-deadletter-source";
    public const string State = "x-opt-message-state";
    public const string ScheduledEnqueueTime = "x-opt-scheduled-enqueue-time";
    public const string PartitionKey = "x-opt-partition-key";

    public static bool IsBrokers(Symbol name) =>
        name.Value
            is SequenceNumber
                or EnqueuedSequenceNumber
                or EnqueuedTime
                or LockedUntil
                or State
                or DeadLetterSource;
}
