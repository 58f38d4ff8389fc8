using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus;

public static partial class ServiceBusModelFactory
{
    public static QueueProperties QueueProperties(
        string name,
        TimeSpan lockDuration,
        long maxSizeInMegabytes,
        bool requiresDuplicateDetection,
        bool requiresSession,
        TimeSpan defaultMessageTimeToLive,
        TimeSpan autoDeleteOnIdle,
        bool deadLetteringOnMessageExpiration,
        TimeSpan duplicateDetectionHistoryTimeWindow,
        int maxDeliveryCount,
        bool enableBatchedOperations,
        EntityStatus status,
        string? forwardTo,
        string? forwardDeadLetteredMessagesTo,
        string? userMetadata,
        bool enablePartitioning) => new(name)
        {
            LockDuration = lockDuration,
            MaxSizeInMegabytes = maxSizeInMegabytes,
            RequiresDuplicateDetection = requiresDuplicateDetection,
            RequiresSession = requiresSession,
            DefaultMessageTimeToLive = defaultMessageTimeToLive,
            AutoDeleteOnIdle = autoDeleteOnIdle,
            DeadLetteringOnMessageExpiration = deadLetteringOnMessageExpiration,
            DuplicateDetectionHistoryTimeWindow = duplicateDetectionHistoryTimeWindow,
            MaxDeliveryCount = maxDeliveryCount,
            EnableBatchedOperations = enableBatchedOperations,
            Status = status,
            ForwardTo = forwardTo,
            ForwardDeadLetteredMessagesTo = forwardDeadLetteredMessagesTo,
            UserMetadata = userMetadata,
            EnablePartitioning = enablePartitioning,
        };

    public static QueueProperties QueueProperties(
        string name,
        TimeSpan lockDuration = default,
        long maxSizeInMegabytes = 0,
        bool requiresDuplicateDetection = false,
        bool requiresSession = false,
        TimeSpan defaultMessageTimeToLive = default,
        TimeSpan autoDeleteOnIdle = default,
        bool deadLetteringOnMessageExpiration = false,
        TimeSpan duplicateDetectionHistoryTimeWindow = default,
        int maxDeliveryCount = 0,
        bool enableBatchedOperations = false,
        EntityStatus status = default,
        string? forwardTo = null,
        string? forwardDeadLetteredMessagesTo = null,
        string? userMetadata = null,
        bool enablePartitioning = false,
        long maxMessageSizeInKilobytes = 0)
    {
        var queue = QueueProperties(
            name,
            lockDuration,
            maxSizeInMegabytes,
            requiresDuplicateDetection,
            requiresSession,
            defaultMessageTimeToLive,
            autoDeleteOnIdle,
            deadLetteringOnMessageExpiration,
            duplicateDetectionHistoryTimeWindow,
            maxDeliveryCount,
            enableBatchedOperations,
            status,
            forwardTo,
            forwardDeadLetteredMessagesTo,
            userMetadata,
            enablePartitioning);
        queue.MaxMessageSizeInKilobytes = maxMessageSizeInKilobytes;
        return queue;
    }

    public static QueueRuntimeProperties QueueRuntimeProperties(
        string name,
        long activeMessageCount = 0,
        long scheduledMessageCount = 0,
        long deadLetterMessageCount = 0,
        long transferDeadLetterMessageCount = 0,
        long transferMessageCount = 0,
        long totalMessageCount = 0,
        long sizeInBytes = 0,
        DateTimeOffset createdAt = default,
        DateTimeOffset updatedAt = default,
        DateTimeOffset accessedAt = default) => new(name)
        {
            ActiveMessageCount = activeMessageCount,
            ScheduledMessageCount = scheduledMessageCount,
            DeadLetterMessageCount = deadLetterMessageCount,
            TransferDeadLetterMessageCount = transferDeadLetterMessageCount,
            TransferMessageCount = transferMessageCount,
            TotalMessageCount = totalMessageCount,
            SizeInBytes = sizeInBytes,
            CreatedAt = createdAt,
            UpdatedAt = updatedAt,
            AccessedAt = accessedAt,
        };

    public static TopicProperties TopicProperties(
        string name,
        long maxSizeInMegabytes,
        bool requiresDuplicateDetection,
        TimeSpan defaultMessageTimeToLive,
        TimeSpan autoDeleteOnIdle,
        TimeSpan duplicateDetectionHistoryTimeWindow,
        bool enableBatchedOperations,
        EntityStatus status,
        bool enablePartitioning) => new(name)
        {
            MaxSizeInMegabytes = maxSizeInMegabytes,
            RequiresDuplicateDetection = requiresDuplicateDetection,
            DefaultMessageTimeToLive = defaultMessageTimeToLive,
            AutoDeleteOnIdle = autoDeleteOnIdle,
            DuplicateDetectionHistoryTimeWindow = duplicateDetectionHistoryTimeWindow,
            EnableBatchedOperations = enableBatchedOperations,
            Status = status,
            EnablePartitioning = enablePartitioning,
        };

    public static TopicProperties TopicProperties(
        string name,
        long maxSizeInMegabytes = 0,
        bool requiresDuplicateDetection = false,
        TimeSpan defaultMessageTimeToLive = default,
        TimeSpan autoDeleteOnIdle = default,
        TimeSpan duplicateDetectionHistoryTimeWindow = default,
        bool enableBatchedOperations = false,
        EntityStatus status = default,
        bool enablePartitioning = false,
        long maxMessageSizeInKilobytes = 0)
    {
        var topic = TopicProperties(
            name,
            maxSizeInMegabytes,
            requiresDuplicateDetection,
            defaultMessageTimeToLive,
            autoDeleteOnIdle,
            duplicateDetectionHistoryTimeWindow,
            enableBatchedOperations,
            status,
            enablePartitioning);
        topic.MaxMessageSizeInKilobytes = maxMessageSizeInKilobytes;
        return topic;
    }

    public static TopicRuntimeProperties TopicRuntimeProperties(
        string name,
        long scheduledMessageCount = 0,
        long sizeInBytes = 0,
        int subscriptionCount = 0,
        DateTimeOffset createdAt = default,
        DateTimeOffset updatedAt = default,
        DateTimeOffset accessedAt = default) => new(name)
        {
            ScheduledMessageCount = scheduledMessageCount,
            SizeInBytes = sizeInBytes,
            SubscriptionCount = subscriptionCount,
            CreatedAt = createdAt,
            UpdatedAt = updatedAt,
            AccessedAt = accessedAt,
        };

    public static SubscriptionProperties SubscriptionProperties(
        string topicName,
        string subscriptionName,
        TimeSpan lockDuration = default,
        bool requiresSession = false,
        TimeSpan defaultMessageTimeToLive = default,
        TimeSpan autoDeleteOnIdle = default,
        bool deadLetteringOnMessageExpiration = false,
        int maxDeliveryCount = 0,
        bool enableBatchedOperations = false,
        EntityStatus status = default,
        string? forwardTo = null,
        string? forwardDeadLetteredMessagesTo = null,
        string? userMetadata = null) => new(topicName, subscriptionName)
        {
            LockDuration = lockDuration,
            RequiresSession = requiresSession,
            DefaultMessageTimeToLive = defaultMessageTimeToLive,
            AutoDeleteOnIdle = autoDeleteOnIdle,
            DeadLetteringOnMessageExpiration = deadLetteringOnMessageExpiration,
            MaxDeliveryCount = maxDeliveryCount,
            EnableBatchedOperations = enableBatchedOperations,
            Status = status,
            ForwardTo = forwardTo,
            ForwardDeadLetteredMessagesTo = forwardDeadLetteredMessagesTo,
            UserMetadata = userMetadata,
        };

    public static SubscriptionRuntimeProperties SubscriptionRuntimeProperties(
        string topicName,
        string subscriptionName,
        long activeMessageCount = 0,
        long deadLetterMessageCount = 0,
        long transferDeadLetterMessageCount = 0,
        long transferMessageCount = 0,
        long totalMessageCount = 0,
        DateTimeOffset createdAt = default,
        DateTimeOffset updatedAt = default,
        DateTimeOffset accessedAt = default) => new(topicName, subscriptionName)
        {
            ActiveMessageCount = activeMessageCount,
            DeadLetterMessageCount = deadLetterMessageCount,
            TransferDeadLetterMessageCount = transferDeadLetterMessageCount,
            TransferMessageCount = transferMessageCount,
            TotalMessageCount = totalMessageCount,
            CreatedAt = createdAt,
            UpdatedAt = updatedAt,
            AccessedAt = accessedAt,
        };

    public static RuleProperties RuleProperties(string name, RuleFilter? filter = null, RuleAction? action = null) => new(name)
    {
        Filter = filter ?? new TrueRuleFilter(),
        Action = action,
    };

    public static NamespaceProperties NamespaceProperties(
        string name,
        DateTimeOffset createdTime,
        DateTimeOffset modifiedTime,
        MessagingSku messagingSku,
        int messagingUnits,
        string? alias) => new()
        {
            Name = name,
            CreatedTime = createdTime,
            ModifiedTime = modifiedTime,
            MessagingSku = messagingSku,
            MessagingUnits = messagingUnits,
            Alias = alias,
        };
}
