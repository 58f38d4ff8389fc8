namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A queue to create; the defaults are the broker's.</summary>
public class CreateQueueOptions
{
    private TimeSpan _lockDuration = TimeSpan.FromSeconds(60);
    private int _maxDeliveryCount = 10;

    public CreateQueueOptions(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        Name = name;
    }

    /// <summary>A queue like another one.</summary>
    public CreateQueueOptions(QueueProperties queue)
    {
        ArgumentNullException.ThrowIfNull(queue);
        Name = queue.Name;
        LockDuration = queue.LockDuration;
        MaxDeliveryCount = queue.MaxDeliveryCount;
        MaxSizeInMegabytes = queue.MaxSizeInMegabytes;
        MaxMessageSizeInKilobytes = queue.MaxMessageSizeInKilobytes;
        DefaultMessageTimeToLive = queue.DefaultMessageTimeToLive;
        DeadLetteringOnMessageExpiration = queue.DeadLetteringOnMessageExpiration;
        RequiresSession = queue.RequiresSession;
        RequiresDuplicateDetection = queue.RequiresDuplicateDetection;
        DuplicateDetectionHistoryTimeWindow = queue.DuplicateDetectionHistoryTimeWindow;
        ForwardTo = queue.ForwardTo;
        ForwardDeadLetteredMessagesTo = queue.ForwardDeadLetteredMessagesTo;
        AutoDeleteOnIdle = queue.AutoDeleteOnIdle;
        EnableBatchedOperations = queue.EnableBatchedOperations;
        EnablePartitioning = queue.EnablePartitioning;
        Status = queue.Status;
        UserMetadata = queue.UserMetadata;
    }

    public string Name { get; set; }

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

    public long MaxSizeInMegabytes { get; set; } = 1024;

    public long? MaxMessageSizeInKilobytes { get; set; }

    public TimeSpan DefaultMessageTimeToLive { get; set; } = TimeSpan.MaxValue;

    public bool DeadLetteringOnMessageExpiration { get; set; }

    public bool RequiresSession { get; set; }

    public bool RequiresDuplicateDetection { get; set; }

    public TimeSpan DuplicateDetectionHistoryTimeWindow { get; set; } = TimeSpan.FromMinutes(1);

    public string? ForwardTo { get; set; }

    public string? ForwardDeadLetteredMessagesTo { get; set; }

    public TimeSpan AutoDeleteOnIdle { get; set; } = TimeSpan.MaxValue;

    public bool EnableBatchedOperations { get; set; } = true;

    public bool EnablePartitioning { get; set; }

    public EntityStatus Status { get; set; } = EntityStatus.Active;

    public string? UserMetadata { get; set; }
}
