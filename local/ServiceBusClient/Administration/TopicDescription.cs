using System.Xml;
using System.Xml.Linq;
using static Azure.Messaging.ServiceBus.Administration.Atom;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A topic in the broker's XML.</summary>
internal static class TopicDescription
{
    public const string Root = "TopicDescription";

    private static readonly Dictionary<string, Action<TopicProperties, string>> Setters = new()
    {
        ["DefaultMessageTimeToLive"] = (topic, value) => topic.DefaultMessageTimeToLive = XmlConvert.ToTimeSpan(value),
        ["MaxSizeInMegabytes"] = (topic, value) => topic.MaxSizeInMegabytes = XmlConvert.ToInt64(value),
        ["RequiresDuplicateDetection"] = (topic, value) => topic.RequiresDuplicateDetection = XmlConvert.ToBoolean(value),
        ["DuplicateDetectionHistoryTimeWindow"] = (topic, value) =>
            topic.DuplicateDetectionHistoryTimeWindow = XmlConvert.ToTimeSpan(value),
        ["EnableBatchedOperations"] = (topic, value) => topic.EnableBatchedOperations = XmlConvert.ToBoolean(value),
        ["Status"] = (topic, value) => topic.Status = value,
        ["UserMetadata"] = (topic, value) => topic.UserMetadata = value,
        ["SupportOrdering"] = (topic, value) => topic.SupportOrdering = XmlConvert.ToBoolean(value),
        ["AutoDeleteOnIdle"] = (topic, value) => topic.AutoDeleteOnIdle = XmlConvert.ToTimeSpan(value),
        ["EnablePartitioning"] = (topic, value) => topic.EnablePartitioning = XmlConvert.ToBoolean(value),
        ["MaxMessageSizeInKilobytes"] = (topic, value) => topic.MaxMessageSizeInKilobytes = XmlConvert.ToInt64(value),
    };

    /// <summary>The order of the elements is the broker's schema: it ignores what comes out of order.</summary>
    public static string Write(TopicProperties topic) => Atom.Write(new XElement(
        Atom.ServiceBus + Root,
        Element("DefaultMessageTimeToLive", Limited(topic.DefaultMessageTimeToLive)),
        Element("MaxSizeInMegabytes", topic.MaxSizeInMegabytes),
        Element("RequiresDuplicateDetection", topic.RequiresDuplicateDetection),
        Element(
            "DuplicateDetectionHistoryTimeWindow",
            topic.RequiresDuplicateDetection ? topic.DuplicateDetectionHistoryTimeWindow : null),
        Element("EnableBatchedOperations", topic.EnableBatchedOperations),
        Element("Status", topic.Status.ToString()),
        Element("UserMetadata", topic.UserMetadata),
        Element("SupportOrdering", topic.SupportOrdering),
        Element("AutoDeleteOnIdle", Limited(topic.AutoDeleteOnIdle)),
        Element("EnablePartitioning", topic.EnablePartitioning),
        Element("MaxMessageSizeInKilobytes", topic.MaxMessageSizeInKilobytes),
        topic.Unknown));

    public static TopicProperties Properties(string name, XElement description)
    {
        var topic = new TopicProperties(name);
        return Set(topic, description, Setters, topic.Unknown);
    }

    public static TopicRuntimeProperties RuntimeProperties(string name, XElement description) => new(name)
    {
        ScheduledMessageCount = Count(description, "ScheduledMessageCount"),
        SizeInBytes = Count(description, "SizeInBytes"),
        SubscriptionCount = (int)Count(description, "SubscriptionCount"),
        CreatedAt = Time(description, "CreatedAt"),
        UpdatedAt = Time(description, "UpdatedAt"),
        AccessedAt = Time(description, "AccessedAt"),
    };
}
