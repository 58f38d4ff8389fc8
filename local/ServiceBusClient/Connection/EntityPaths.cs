namespace Azure.Messaging.ServiceBus;

/// <summary>Where an entity is, in its namespace.</summary>
internal static class EntityPaths
{
    public static string Subscription(string topicName, string subscriptionName)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(topicName);
        ArgumentException.ThrowIfNullOrWhiteSpace(subscriptionName);
        return $"{topicName}/Subscriptions/{subscriptionName}";
    }

    public static string Rule(string topicName, string subscriptionName, string ruleName)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(ruleName);
        return $"{Subscription(topicName, subscriptionName)}/Rules/{ruleName}";
    }
}
