namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What is in a queue now.</summary>
public class QueueRuntimeProperties
{
    internal QueueRuntimeProperties(string name) => Name = name;

    public string Name { get; }

    /// <summary>Messages that a receiver could get or has locked.</summary>
    public long ActiveMessageCount { get; internal init; }

    public long DeadLetterMessageCount { get; internal init; }

    public long ScheduledMessageCount { get; internal init; }

    public long TransferMessageCount { get; internal init; }

    public long TransferDeadLetterMessageCount { get; internal init; }

    public long TotalMessageCount { get; internal init; }

    public long SizeInBytes { get; internal init; }

    public DateTimeOffset CreatedAt { get; internal init; }

    public DateTimeOffset UpdatedAt { get; internal init; }

    public DateTimeOffset AccessedAt { get; internal init; }
}
