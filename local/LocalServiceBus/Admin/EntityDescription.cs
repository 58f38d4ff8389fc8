using System.Xml;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Configuration;
using DroneDelivery.LocalServiceBus.Entities;
using static DroneDelivery.LocalServiceBus.Admin.Atom;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>The description of a queue, topic, or subscription in the XML of the management API. SDKs find elements by
/// name, so their order doesn't matter.</summary>
internal static class EntityDescription
{
    private static readonly XNamespace Counts = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

    // SDKs send these read-only elements back with an update.
    private static readonly HashSet<string> ReadOnlyElements =
    [
        "SizeInBytes",
        "MessageCount",
        "CreatedAt",
        "UpdatedAt",
        "AccessedAt",
        "SupportOrdering",
        "CountDetails",
        "SubscriptionCount",
        "EntityAvailabilityStatus",
    ];

    public static XElement Write(Queue queue)
    {
        var counts = queue.Counts();
        return queue.Topic is { } topic ? Write(queue, new QueueCounts { Scheduled = counts.Scheduled }, OfTopic(topic))
            : queue.Subscription is not null ? Write(queue, counts, [Element("MessageCount", Total(counts))])
            : Write(
                queue,
                counts,
                [Element("SizeInBytes", counts.SizeInBytes), Element("MessageCount", Total(counts)), .. OfTargets()]
            );
    }

    public static bool IsOf(XElement entry, EntityKind kind) => entry.DescendantsAndSelf(RootOf(kind)).Any();

    /// <param name="options">The values of properties that the description omits.</param>
    public static QueueOptions Read(XElement entry, QueueOptions options, DateTimeOffset now)
    {
        var root = RootOf(options.Kind);
        var description = entry.DescendantsAndSelf(root).FirstOrDefault()
            ?? throw new FormatException(
                $"The body must be an ATOM entry with a {root.LocalName} in the namespace {root.NamespaceName}."
            );
        // To remove these properties, SDKs omit them from an update.
        var withoutOptional = options with
        {
            ForwardTo = null,
            ForwardDeadLetteredMessagesTo = null,
            AutoDeleteOnIdle = TimeSpan.MaxValue,
        };
        return description.Elements().Aggregate(withoutOptional, (read, element) => Apply(read, element, now));
    }

    private static XName RootOf(EntityKind kind) => ServiceBus + $"{kind}Description";

    private static QueueOptions Apply(QueueOptions options, XElement element, DateTimeOffset now)
    {
        var name = element.Name.LocalName;
        if (EntityProperty.Find(name, options.Kind) is { } property)
            return property.Apply(options, element.Value, name);
        if (name == "DefaultRuleDescription")
            return options with { Rules = [RuleXml.Read(element)] };
        if (name == AuthorizationXml.Root && options.Kind != EntityKind.Subscription)
            return options with { AuthorizationRules = AuthorizationXml.Read(element, now) };
        return ReadOnlyElements.Contains(name) || IsDefault(element)
            ? options
            : throw new FormatException($"{name}: not supported, '{Excerpt.Of(element.Value)}' cannot be stored.");
    }

    private static bool IsDefault(XElement element) =>
        string.IsNullOrWhiteSpace(element.Value) || element.Value.Equals("false", StringComparison.OrdinalIgnoreCase);

    private static XElement Write(Queue queue, QueueCounts counts, IEnumerable<XElement> others) =>
        new(
            RootOf(queue.Options.Kind),
            EntityProperty
                .All.Where(property => property.Kinds.Contains(queue.Options.Kind))
                .Select(property => (property.Name, Value: property.Get(queue.Options)))
                .Where(property => property.Value is not null)
                .Select(property =>
                    Element(
                        property.Name,
                        property.Value is TimeSpan span ? XmlConvert.ToString(span) : property.Value!
                    )
                ),
            AuthorizationXml.Write(queue.Options.AuthorizationRules ?? []),
            others,
            Element("CreatedAt", queue.CreatedAt.UtcDateTime),
            Element("UpdatedAt", queue.UpdatedAt.UtcDateTime),
            Element("AccessedAt", queue.AccessedAt.UtcDateTime),
            CountDetails(counts),
            Element("EntityAvailabilityStatus", "Available")
        );

    private static XElement[] OfTopic(Topic topic) =>
        [
            Element("SizeInBytes", topic.Intake.SizeInBytes),
            Element("SubscriptionCount", topic.SubscriptionCount),
            Element("EnableSubscriptionPartitioning", false),
            .. OfTargets(),
        ];

    private static XElement[] OfTargets() =>
        [Element("IsAnonymousAccessible", false), Element("SupportOrdering", true), Element("EnableExpress", false)];

    // SDKs for JavaScript expect this prefix on this element.
    private static XElement CountDetails(QueueCounts counts) =>
        new(
            ServiceBus + "CountDetails",
            new XAttribute(XNamespace.Xmlns + "d2p1", Counts.NamespaceName),
            new XElement(Counts + "ActiveMessageCount", counts.ActiveMessageCount),
            new XElement(Counts + "DeadLetterMessageCount", counts.DeadLetter),
            new XElement(Counts + "ScheduledMessageCount", counts.Scheduled),
            new XElement(Counts + "TransferMessageCount", 0),
            new XElement(Counts + "TransferDeadLetterMessageCount", counts.TransferDeadLetter)
        );

    private static long Total(QueueCounts counts) =>
        counts.ActiveMessageCount + counts.Deferred + counts.Scheduled + counts.DeadLetter + counts.TransferDeadLetter;
}
