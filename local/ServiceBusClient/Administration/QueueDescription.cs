using System.Globalization;
using System.Xml;
using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Queues in the broker's ATOM XML: <c>entry/content/QueueDescription</c>, in a <c>feed</c> when they are many.</summary>
internal static class QueueDescription
{
    private static readonly XNamespace Atom = "http://www.w3.org/2005/Atom";
    private static readonly XNamespace ServiceBus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

    private static readonly HashSet<string> Runtime =
    [
        "AccessedAt", "CreatedAt", "UpdatedAt", "MessageCount",
        "SizeInBytes", "CountDetails", "EntityAvailabilityStatus", "SkippedUpdate",
    ];

    private delegate void Setter(QueueProperties queue, string value);

    private static readonly Dictionary<string, Setter> Setters = new()
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
    public static string Write(QueueProperties queue) => new XElement(
        Atom + "entry",
        new XElement(
            Atom + "content",
            new XAttribute("type", "application/xml"),
            new XElement(
                ServiceBus + "QueueDescription",
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
                queue.Unknown))).ToString(SaveOptions.DisableFormatting);

    /// <summary>The queue of an <c>entry</c>; null for the empty feed with which the broker answers when there is none.</summary>
    public static T? Single<T>(string xml, Func<string, XElement, T> read) where T : class =>
        XElement.Parse(xml) is { Name.LocalName: "entry" } entry ? Entry(entry, read) : null;

    public static IReadOnlyList<T> Feed<T>(string xml, Func<string, XElement, T> read) where T : class =>
        [.. XElement.Parse(xml).Elements(Atom + "entry").Select(entry => Entry(entry, read)).OfType<T>()];

    public static QueueProperties Properties(string name, XElement description)
    {
        var queue = new QueueProperties(name);
        foreach (var element in description.Elements())
        {
            if (Setters.TryGetValue(element.Name.LocalName, out var set))
                set(queue, element.Value);
            else if (!Runtime.Contains(element.Name.LocalName))
                queue.Unknown.Add(element);
        }

        return queue;
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

    private static T? Entry<T>(XElement entry, Func<string, XElement, T> read) where T : class =>
        entry.Element(Atom + "content")?.Element(ServiceBus + "QueueDescription") is { } description
            ? read(entry.Element(Atom + "title")?.Value ?? "", description)
            : null;

    private static TimeSpan? Limited(TimeSpan value) => value == TimeSpan.MaxValue ? null : value;

    private static XElement? Element(string name, object? value) => value is null ? null : new XElement(ServiceBus + name, value);

    // The counts inside CountDetails are in a namespace of their own.
    private static long Count(XElement description, string name) =>
        description.Descendants().FirstOrDefault(element => element.Name.LocalName == name) is { } element
            ? XmlConvert.ToInt64(element.Value)
            : 0;

    private static DateTimeOffset Time(XElement description, string name) =>
        description.Element(ServiceBus + name) is { } element
            ? DateTimeOffset.Parse(element.Value, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal)
            : default;
}
