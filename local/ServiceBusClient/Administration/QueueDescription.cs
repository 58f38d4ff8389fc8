using System.Xml;
using System.Xml.Linq;
using static Azure.Messaging.ServiceBus.Administration.Atom;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A queue in the broker's XML.</summary>
internal static class QueueDescription
{
    public const string Root = "QueueDescription";

    private static readonly Dictionary<string, Action<QueueProperties, string>> Setters = new()
    {
        ["LockDuration"] = (queue, value) => queue.LockDuration = XmlConvert.ToTimeSpan(value),
        ["MaxSizeInMegabytes"] = (queue, value) => queue.MaxSizeInMegabytes = XmlConvert.ToInt64(value),
        ["RequiresDuplicateDetection"] = (queue, value) => queue.RequiresDuplicateDetection = XmlConvert.ToBoolean(value),
        ["RequiresSession"] = (queue, value) => queue.RequiresSession = XmlConvert.ToBoolean(value),
        ["DefaultMessageTimeToLive"] = (queue, value) => queue.DefaultMessageTimeToLive = XmlConvert.ToTimeSpan(value),
        ["DeadLetteringOnMessageExpiration"] = (queue, value) => queue.DeadLetteringOnMessageExpiration = XmlConvert.ToBoolean(value),
        ["DuplicateDetectionHistoryTimeWindow"] = (queue, value) =>
            queue.DuplicateDetectionHistoryTimeWindow = XmlConvert.ToTimeSpan(value),
        ["MaxDeliveryCount"] = (queue, value) => queue.MaxDeliveryCount = XmlConvert.ToInt32(value),
        ["EnableBatchedOperations"] = (queue, value) => queue.EnableBatchedOperations = XmlConvert.ToBoolean(value),
        ["Status"] = (queue, value) => queue.Status = value,
        ["ForwardTo"] = (queue, value) => queue.ForwardTo = value.Length == 0 ? null : value,
        ["UserMetadata"] = (queue, value) => queue.UserMetadata = value,
        ["AutoDeleteOnIdle"] = (queue, value) => queue.AutoDeleteOnIdle = XmlConvert.ToTimeSpan(value),
        ["EnablePartitioning"] = (queue, value) => queue.EnablePartitioning = XmlConvert.ToBoolean(value),
        ["ForwardDeadLetteredMessagesTo"] = (queue, value) => queue.ForwardDeadLetteredMessagesTo = value.Length == 0 ? null : value,
        ["MaxMessageSizeInKilobytes"] = (queue, value) => queue.MaxMessageSizeInKilobytes = XmlConvert.ToInt64(value),
    };

    /// <summary>The order of the elements is the broker's schema: it ignores what comes out of order.</summary>
    public static string Write(QueueProperties queue) => Atom.Write(new XElement(
        Atom.ServiceBus + Root,
        Element("LockDuration", queue.LockDuration),
        Element("MaxSizeInMegabytes", queue.MaxSizeInMegabytes),
        Element("RequiresDuplicateDetection", queue.RequiresDuplicateDetection),
        Element("RequiresSession", queue.RequiresSession),
        Element("DefaultMessageTimeToLive", Limited(queue.DefaultMessageTimeToLive)),
        Element("DeadLetteringOnMessageExpiration", queue.DeadLetteringOnMessageExpiration),
        Element(
            "DuplicateDetectionHistoryTimeWindow",
            queue.RequiresDuplicateDetection ? queue.DuplicateDetectionHistoryTimeWindow : null),
        Element("MaxDeliveryCount", queue.MaxDeliveryCount),
        Element("EnableBatchedOperations", queue.EnableBatchedOperations),
        Element("Status", queue.Status.ToString()),
        Element("ForwardTo", queue.ForwardTo),
        Element("UserMetadata", queue.UserMetadata),
        Element("AutoDeleteOnIdle", Limited(queue.AutoDeleteOnIdle)),
        Element("EnablePartitioning", queue.EnablePartitioning),
        Element("ForwardDeadLetteredMessagesTo", queue.ForwardDeadLetteredMessagesTo),
        Element("MaxMessageSizeInKilobytes", queue.MaxMessageSizeInKilobytes),
        queue.Unknown));

    public static QueueProperties Properties(string name, XElement description)
    {
        var queue = new QueueProperties(name);
        return Set(queue, description, Setters, queue.Unknown);
    }

    public static QueueRuntimeProperties RuntimeProperties(string name, XElement description) => new(name)
    {
        ActiveMessageCount = Count(description, "ActiveMessageCount"),
        DeadLetterMessageCount = Count(description, "DeadLetterMessageCount"),
        ScheduledMessageCount = Count(description, "ScheduledMessageCount"),
        TransferMessageCount = Count(description, "TransferMessageCount"),
        TransferDeadLetterMessageCount = Count(description, "TransferDeadLetterMessageCount"),
        TotalMessageCount = Count(description, "MessageCount"),
        SizeInBytes = Count(description, "SizeInBytes"),
        CreatedAt = Time(description, "CreatedAt"),
        UpdatedAt = Time(description, "UpdatedAt"),
        AccessedAt = Time(description, "AccessedAt"),
    };
}
