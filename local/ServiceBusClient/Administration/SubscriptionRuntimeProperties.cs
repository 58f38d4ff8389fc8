namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What is in a subscription now.</summary>
public class SubscriptionRuntimeProperties
{
    internal SubscriptionRuntimeProperties(string topicName, string subscriptionName)
    {
        TopicName = topicName;
        SubscriptionName = subscriptionName;
    }

    public string TopicName { get; }

    public string SubscriptionName { get; }

    /// <summary>Messages that a receiver could get or has locked.</summary>
    public long ActiveMessageCount { get; internal init; }

    public long DeadLetterMessageCount { get; internal init; }

    public long TransferMessageCount { get; internal init; }

    public long TransferDeadLetterMessageCount { get; internal init; }

    public long TotalMessageCount { get; internal init; }

    public DateTimeOffset CreatedAt { get; internal init; }

    public DateTimeOffset UpdatedAt { get; internal init; }

    public DateTimeOffset AccessedAt { get; internal init; }
}
