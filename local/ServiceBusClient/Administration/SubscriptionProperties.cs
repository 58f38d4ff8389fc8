using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A subscription as the broker has it. Change it and hand it to
/// <see cref="ServiceBusAdministrationClient.UpdateSubscriptionAsync"/>.</summary>
public class SubscriptionProperties
{
    internal SubscriptionProperties(string topicName, string subscriptionName)
    {
        TopicName = topicName;
        SubscriptionName = subscriptionName;
    }

    internal SubscriptionProperties(CreateSubscriptionOptions options)
        : this(options.TopicName, options.SubscriptionName)
    {
        LockDuration = options.LockDuration;
        RequiresSession = options.RequiresSession;
        DefaultMessageTimeToLive = options.DefaultMessageTimeToLive;
        DeadLetteringOnMessageExpiration = options.DeadLetteringOnMessageExpiration;
        EnableDeadLetteringOnFilterEvaluationExceptions = options.EnableDeadLetteringOnFilterEvaluationExceptions;
        MaxDeliveryCount = options.MaxDeliveryCount;
        EnableBatchedOperations = options.EnableBatchedOperations;
        Status = options.Status;
        ForwardTo = options.ForwardTo;
        ForwardDeadLetteredMessagesTo = options.ForwardDeadLetteredMessagesTo;
        AutoDeleteOnIdle = options.AutoDeleteOnIdle;
        UserMetadata = options.UserMetadata;
    }

    public string TopicName { get; set; }

    public string SubscriptionName { get; set; }

    public TimeSpan LockDuration { get; set; } = TimeSpan.FromSeconds(60);

    public bool RequiresSession { get; set; }

    public TimeSpan DefaultMessageTimeToLive { get; set; } = TimeSpan.MaxValue;

    public bool DeadLetteringOnMessageExpiration { get; set; }

    public bool EnableDeadLetteringOnFilterEvaluationExceptions { get; set; } = true;

    public int MaxDeliveryCount { get; set; } = 10;

    public bool EnableBatchedOperations { get; set; } = true;

    public EntityStatus Status { get; set; } = EntityStatus.Active;

    public string? ForwardTo { get; set; }

    public string? ForwardDeadLetteredMessagesTo { get; set; }

    public TimeSpan AutoDeleteOnIdle { get; set; } = TimeSpan.MaxValue;

    public string? UserMetadata { get; set; }

    /// <summary>Elements that this client does not know: an update sends them back, so that it does not reset them.</summary>
    internal List<XElement> Unknown { get; } = [];
}
