namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A topic to create; the defaults are the broker's.</summary>
public class CreateTopicOptions
{
    public CreateTopicOptions(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        Name = name;
    }

    /// <summary>A topic like another one.</summary>
    public CreateTopicOptions(TopicProperties topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        Name = topic.Name;
        MaxSizeInMegabytes = topic.MaxSizeInMegabytes;
        MaxMessageSizeInKilobytes = topic.MaxMessageSizeInKilobytes;
        DefaultMessageTimeToLive = topic.DefaultMessageTimeToLive;
        RequiresDuplicateDetection = topic.RequiresDuplicateDetection;
        DuplicateDetectionHistoryTimeWindow = topic.DuplicateDetectionHistoryTimeWindow;
        AutoDeleteOnIdle = topic.AutoDeleteOnIdle;
        EnableBatchedOperations = topic.EnableBatchedOperations;
        EnablePartitioning = topic.EnablePartitioning;
        SupportOrdering = topic.SupportOrdering;
        Status = topic.Status;
        UserMetadata = topic.UserMetadata;
    }

    public string Name { get; set; }

    public long MaxSizeInMegabytes { get; set; } = 1024;

    public long? MaxMessageSizeInKilobytes { get; set; }

    public TimeSpan DefaultMessageTimeToLive { get; set; } = TimeSpan.MaxValue;

    public bool RequiresDuplicateDetection { get; set; }

    public TimeSpan DuplicateDetectionHistoryTimeWindow { get; set; } = TimeSpan.FromMinutes(1);

    public TimeSpan AutoDeleteOnIdle { get; set; } = TimeSpan.MaxValue;

    public bool EnableBatchedOperations { get; set; } = true;

    public bool EnablePartitioning { get; set; }

    public bool SupportOrdering { get; set; }

    public EntityStatus Status { get; set; } = EntityStatus.Active;

    public string? UserMetadata { get; set; }
}
