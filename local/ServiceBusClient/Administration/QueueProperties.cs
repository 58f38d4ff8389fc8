using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A queue as the broker has it. Change it and hand it to <see cref="ServiceBusAdministrationClient.UpdateQueueAsync"/>.</summary>
public class QueueProperties
{
    internal QueueProperties(string name) => Name = name;

    internal QueueProperties(CreateQueueOptions options)
        : this(options.Name)
    {
        LockDuration = options.LockDuration;
        MaxDeliveryCount = options.MaxDeliveryCount;
        MaxSizeInMegabytes = options.MaxSizeInMegabytes;
        MaxMessageSizeInKilobytes = options.MaxMessageSizeInKilobytes;
        DefaultMessageTimeToLive = options.DefaultMessageTimeToLive;
        DeadLetteringOnMessageExpiration = options.DeadLetteringOnMessageExpiration;
        RequiresSession = options.RequiresSession;
        RequiresDuplicateDetection = options.RequiresDuplicateDetection;
        DuplicateDetectionHistoryTimeWindow = options.DuplicateDetectionHistoryTimeWindow;
        ForwardTo = options.ForwardTo;
        ForwardDeadLetteredMessagesTo = options.ForwardDeadLetteredMessagesTo;
        AutoDeleteOnIdle = options.AutoDeleteOnIdle;
        EnableBatchedOperations = options.EnableBatchedOperations;
        EnablePartitioning = options.EnablePartitioning;
        Status = options.Status;
        UserMetadata = options.UserMetadata;
    }

    public string Name { get; }

    public TimeSpan LockDuration { get; set; } = TimeSpan.FromSeconds(60);

    public int MaxDeliveryCount { get; set; } = 10;

    public long MaxSizeInMegabytes { get; set; } = 1024;

    public long? MaxMessageSizeInKilobytes { get; set; }

    public TimeSpan DefaultMessageTimeToLive { get; set; } = TimeSpan.MaxValue;

    public bool DeadLetteringOnMessageExpiration { get; set; }

    public bool RequiresSession { get; internal set; }

    public bool RequiresDuplicateDetection { get; internal set; }

    public TimeSpan DuplicateDetectionHistoryTimeWindow { get; set; } = TimeSpan.FromMinutes(1);

    public string? ForwardTo { get; set; }

    public string? ForwardDeadLetteredMessagesTo { get; set; }

    public TimeSpan AutoDeleteOnIdle { get; set; } = TimeSpan.MaxValue;

    public bool EnableBatchedOperations { get; set; } = true;

    public bool EnablePartitioning { get; internal set; }

    public EntityStatus Status { get; set; } = EntityStatus.Active;

    public string? UserMetadata { get; set; }

    /// <summary>Elements that this client does not know: an update sends them back, so that it does not reset them.</summary>
    internal List<XElement> Unknown { get; } = [];
}
