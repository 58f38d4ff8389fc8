namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What a topic has now. Its messages are counted in its subscriptions.</summary>
public class TopicRuntimeProperties
{
    internal TopicRuntimeProperties(string name) => Name = name;

    public string Name { get; }

    public long ScheduledMessageCount { get; internal init; }

    /// <summary>With what the subscriptions hold.</summary>
    public long SizeInBytes { get; internal init; }

    public int SubscriptionCount { get; internal init; }

    public DateTimeOffset CreatedAt { get; internal init; }

    public DateTimeOffset UpdatedAt { get; internal init; }

    public DateTimeOffset AccessedAt { get; internal init; }
}
