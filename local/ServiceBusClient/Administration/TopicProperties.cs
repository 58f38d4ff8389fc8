using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A topic as the broker has it. Change it and hand it to
/// <see cref="ServiceBusAdministrationClient.UpdateTopicAsync"/>.</summary>
public class TopicProperties
{
    internal TopicProperties(string name) => Name = name;

    internal TopicProperties(CreateTopicOptions options)
        : this(options.Name)
    {
        MaxSizeInMegabytes = options.MaxSizeInMegabytes;
        MaxMessageSizeInKilobytes = options.MaxMessageSizeInKilobytes;
        DefaultMessageTimeToLive = options.DefaultMessageTimeToLive;
        RequiresDuplicateDetection = options.RequiresDuplicateDetection;
        DuplicateDetectionHistoryTimeWindow = options.DuplicateDetectionHistoryTimeWindow;
        AutoDeleteOnIdle = options.AutoDeleteOnIdle;
        EnableBatchedOperations = options.EnableBatchedOperations;
        EnablePartitioning = options.EnablePartitioning;
        SupportOrdering = options.SupportOrdering;
        Status = options.Status;
        UserMetadata = options.UserMetadata;
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

    /// <summary>Elements that this client does not know: an update sends them back, so that it does not reset them.</summary>
    internal List<XElement> Unknown { get; } = [];
}
