namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A subscription to create; the defaults are the broker's.</summary>
public class CreateSubscriptionOptions
{
    private TimeSpan _lockDuration = TimeSpan.FromSeconds(60);
    private int _maxDeliveryCount = 10;

    public CreateSubscriptionOptions(string topicName, string subscriptionName)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(topicName);
        ArgumentException.ThrowIfNullOrWhiteSpace(subscriptionName);
        TopicName = topicName;
        SubscriptionName = subscriptionName;
    }

    /// <summary>A subscription like another one.</summary>
    public CreateSubscriptionOptions(SubscriptionProperties subscription)
    {
        ArgumentNullException.ThrowIfNull(subscription);
        TopicName = subscription.TopicName;
        SubscriptionName = subscription.SubscriptionName;
        LockDuration = subscription.LockDuration;
        RequiresSession = subscription.RequiresSession;
        DefaultMessageTimeToLive = subscription.DefaultMessageTimeToLive;
        DeadLetteringOnMessageExpiration = subscription.DeadLetteringOnMessageExpiration;
        EnableDeadLetteringOnFilterEvaluationExceptions = subscription.EnableDeadLetteringOnFilterEvaluationExceptions;
        MaxDeliveryCount = subscription.MaxDeliveryCount;
        EnableBatchedOperations = subscription.EnableBatchedOperations;
        Status = subscription.Status;
        ForwardTo = subscription.ForwardTo;
        ForwardDeadLetteredMessagesTo = subscription.ForwardDeadLetteredMessagesTo;
        AutoDeleteOnIdle = subscription.AutoDeleteOnIdle;
        UserMetadata = subscription.UserMetadata;
    }

    public string TopicName { get; set; }

    public string SubscriptionName { get; set; }

    /// <summary>How long a message is held for the receiver that it was handed to. Positive, at most 5 minutes (the broker
    /// checks), default 60 s.</summary>
    public TimeSpan LockDuration
    {
        get => _lockDuration;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero, nameof(LockDuration));
            _lockDuration = value;
        }
    }

    public bool RequiresSession { get; set; }

    public TimeSpan DefaultMessageTimeToLive { get; set; } = TimeSpan.MaxValue;

    public bool DeadLetteringOnMessageExpiration { get; set; }

    /// <summary>Whether a message becomes a dead letter when a rule fails on it and no other lets it through. Default true.</summary>
    public bool EnableDeadLetteringOnFilterEvaluationExceptions { get; set; } = true;

    /// <summary>Deliveries after which a message that nobody completes is dead-lettered. At least 1, default 10.</summary>
    public int MaxDeliveryCount
    {
        get => _maxDeliveryCount;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxDeliveryCount));
            _maxDeliveryCount = value;
        }
    }

    public bool EnableBatchedOperations { get; set; } = true;

    public EntityStatus Status { get; set; } = EntityStatus.Active;

    public string? ForwardTo { get; set; }

    public string? ForwardDeadLetteredMessagesTo { get; set; }

    public TimeSpan AutoDeleteOnIdle { get; set; } = TimeSpan.MaxValue;

    public string? UserMetadata { get; set; }
}
