using System.Globalization;
using System.Xml;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Configuration;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>A queue, topic or subscription as the management API writes it. SDKs look for elements by name, the service expects them in
/// this order.</summary>
internal static class EntityDescription
{
    private static readonly XNamespace Counts = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

    public static XElement Write(Queue queue)
    {
        var options = queue.Options;
        var counts = queue.Counts();
        return new XElement(
            RootOf(EntityKind.Queue),
            Element("LockDuration", IsoDuration.Format(options.LockDuration)),
            Element("MaxSizeInMegabytes", options.MaxSizeInMegabytes),
            Element("RequiresDuplicateDetection", options.RequiresDuplicateDetection),
            Element("RequiresSession", options.RequiresSession),
            Element("DefaultMessageTimeToLive", IsoDuration.Format(options.DefaultMessageTimeToLive)),
            Element("DeadLetteringOnMessageExpiration", options.DeadLetteringOnMessageExpiration),
            Element("DuplicateDetectionHistoryTimeWindow", IsoDuration.Format(options.DuplicateDetectionHistoryTimeWindow)),
            Element("MaxDeliveryCount", options.MaxDeliveryCount),
            Element("EnableBatchedOperations", true),
            Element("SizeInBytes", counts.SizeInBytes),
            Element("MessageCount", Total(counts)),
            Element("IsAnonymousAccessible", false),
            Element("Status", options.Status),
            Optional("ForwardTo", options.ForwardTo),
            Optional("UserMetadata", options.UserMetadata),
            Element("CreatedAt", queue.CreatedAt.UtcDateTime),
            Element("UpdatedAt", queue.UpdatedAt.UtcDateTime),
            Element("AccessedAt", queue.AccessedAt.UtcDateTime),
            Element("SupportOrdering", true),
            CountDetails(counts),
            Element("AutoDeleteOnIdle", IsoDuration.Format(options.AutoDeleteOnIdle)),
            Element("EnablePartitioning", false),
            Optional("ForwardDeadLetteredMessagesTo", options.ForwardDeadLetteredMessagesTo),
            Element("EntityAvailabilityStatus", "Available"),
            Element("EnableExpress", false),
            Element("MaxMessageSizeInKilobytes", options.MaxMessageSize / 1024));
    }

    public static XElement Write(Topic topic)
    {
        var queue = topic.Intake;
        var options = queue.Options;
        return new XElement(
            RootOf(EntityKind.Topic),
            Element("DefaultMessageTimeToLive", IsoDuration.Format(options.DefaultMessageTimeToLive)),
            Element("MaxSizeInMegabytes", options.MaxSizeInMegabytes),
            Element("RequiresDuplicateDetection", options.RequiresDuplicateDetection),
            Element("DuplicateDetectionHistoryTimeWindow", IsoDuration.Format(options.DuplicateDetectionHistoryTimeWindow)),
            Element("EnableBatchedOperations", true),
            Element("SizeInBytes", topic.SizeInBytes),
            Element("IsAnonymousAccessible", false),
            Element("Status", options.Status),
            Optional("UserMetadata", options.UserMetadata),
            Element("CreatedAt", queue.CreatedAt.UtcDateTime),
            Element("UpdatedAt", queue.UpdatedAt.UtcDateTime),
            Element("AccessedAt", queue.AccessedAt.UtcDateTime),
            Element("SupportOrdering", true),
            // Active messages are those of the subscriptions.
            CountDetails(new QueueCounts { Scheduled = queue.Counts().Scheduled }),
            Element("SubscriptionCount", topic.SubscriptionCount),
            Element("AutoDeleteOnIdle", IsoDuration.Format(options.AutoDeleteOnIdle)),
            Element("EnablePartitioning", false),
            Element("EntityAvailabilityStatus", "Available"),
            Element("EnableSubscriptionPartitioning", false),
            Element("EnableExpress", false),
            Element("MaxMessageSizeInKilobytes", options.MaxMessageSize / 1024));
    }

    public static XElement Write(Subscription subscription)
    {
        var queue = subscription.Queue;
        var options = queue.Options;
        var counts = queue.Counts();
        return new XElement(
            RootOf(EntityKind.Subscription),
            Element("LockDuration", IsoDuration.Format(options.LockDuration)),
            Element("RequiresSession", options.RequiresSession),
            Element("DefaultMessageTimeToLive", IsoDuration.Format(options.DefaultMessageTimeToLive)),
            Element("DeadLetteringOnMessageExpiration", options.DeadLetteringOnMessageExpiration),
            Element("DeadLetteringOnFilterEvaluationExceptions", options.DeadLetteringOnFilterEvaluationExceptions),
            Element("MessageCount", Total(counts)),
            Element("MaxDeliveryCount", options.MaxDeliveryCount),
            Element("EnableBatchedOperations", true),
            Element("Status", options.Status),
            Optional("ForwardTo", options.ForwardTo),
            Optional("UserMetadata", options.UserMetadata),
            Optional("ForwardDeadLetteredMessagesTo", options.ForwardDeadLetteredMessagesTo),
            Element("CreatedAt", queue.CreatedAt.UtcDateTime),
            Element("UpdatedAt", queue.UpdatedAt.UtcDateTime),
            Element("AccessedAt", queue.AccessedAt.UtcDateTime),
            CountDetails(counts),
            Element("AutoDeleteOnIdle", IsoDuration.Format(options.AutoDeleteOnIdle)),
            Element("EntityAvailabilityStatus", "Available"));
    }

    /// <summary>Whether the content of the entry describes such an entity.</summary>
    public static bool IsOf(XElement entry, EntityKind kind) => entry.DescendantsAndSelf(RootOf(kind)).Any();

    /// <param name="entry">an <c>entry</c> with the description in its content</param>
    /// <param name="options">what holds where the description says nothing</param>
    /// <exception cref="FormatException">The message names the element.</exception>
    public static QueueOptions Read(XElement entry, QueueOptions options)
    {
        var root = RootOf(options.Kind);
        var description = entry.DescendantsAndSelf(root).FirstOrDefault()
            ?? throw new FormatException(
                $"The body must be an ATOM entry with a {root.LocalName} of the namespace {root.NamespaceName}.");
        // Elements that are not known here are skipped, as the service does: SDKs send more than a queue needs. What they leave out of a
        // description that they have read is to end.
        var withoutOptional = options with
        {
            ForwardTo = null,
            ForwardDeadLetteredMessagesTo = null,
            AutoDeleteOnIdle = TimeSpan.MaxValue,
        };
        return description.Elements().Aggregate(withoutOptional, Apply);
    }

    private static XName RootOf(EntityKind kind) => Atom.ServiceBus + $"{kind}Description";

    private static QueueOptions Apply(QueueOptions options, XElement element)
    {
        try
        {
            return element.Name.LocalName switch
            {
                "LockDuration" => options with { LockDuration = IsoDuration.Parse(element.Value) },
                "MaxSizeInMegabytes" => options with { MaxSizeInMegabytes = XmlConvert.ToInt64(element.Value) },
                "RequiresDuplicateDetection" => options with { RequiresDuplicateDetection = Flag(element) },
                "RequiresSession" => options with { RequiresSession = Flag(element) },
                "DefaultMessageTimeToLive" => options with { DefaultMessageTimeToLive = IsoDuration.Parse(element.Value) },
                "DeadLetteringOnFilterEvaluationExceptions" =>
                    options with { DeadLetteringOnFilterEvaluationExceptions = Flag(element) },
                "DefaultRuleDescription" => options with { Rules = [RuleXml.Read(element)] },
                "DeadLetteringOnMessageExpiration" => options with { DeadLetteringOnMessageExpiration = Flag(element) },
                "DuplicateDetectionHistoryTimeWindow" =>
                    options with { DuplicateDetectionHistoryTimeWindow = IsoDuration.Parse(element.Value) },
                "MaxDeliveryCount" => options with { MaxDeliveryCount = XmlConvert.ToInt32(element.Value) },
                "Status" => options with { Status = Status(element.Value) },
                "ForwardTo" => options with { ForwardTo = Target(element) },
                "ForwardDeadLetteredMessagesTo" => options with { ForwardDeadLetteredMessagesTo = Target(element) },
                "AutoDeleteOnIdle" => options with { AutoDeleteOnIdle = IsoDuration.Parse(element.Value) },
                "UserMetadata" => options with { UserMetadata = element.Value },
                "MaxMessageSizeInKilobytes" => options with { MaxMessageSize = checked(XmlConvert.ToInt64(element.Value) * 1024) },
                _ => options,
            };
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new FormatException($"{element.Name.LocalName}: {error.Message}", error);
        }
    }

    private static string? Target(XElement element) => element.Value.Trim() is { Length: > 0 } target ? target : null;

    private static EntityStatus Status(string text) => Enum.TryParse<EntityStatus>(text, out var status) && Enum.IsDefined(status)
        ? status
        : throw new FormatException($"'{Excerpt.Of(text)}' is none of {string.Join(", ", Enum.GetNames<EntityStatus>())}.");

    // SDKs for .NET write true, those for Python True.
    private static bool Flag(XElement element) => XmlConvert.ToBoolean(element.Value.ToLower(CultureInfo.InvariantCulture));

    // The prefix is declared here and nowhere else: SDKs for JavaScript read it from this element.
    private static XElement CountDetails(QueueCounts counts) => new(
        Atom.ServiceBus + "CountDetails",
        new XAttribute(XNamespace.Xmlns + "d2p1", Counts.NamespaceName),
        new XElement(Counts + "ActiveMessageCount", counts.ActiveMessageCount),
        new XElement(Counts + "DeadLetterMessageCount", counts.DeadLetter),
        new XElement(Counts + "ScheduledMessageCount", counts.Scheduled),
        new XElement(Counts + "TransferMessageCount", 0),
        new XElement(Counts + "TransferDeadLetterMessageCount", counts.TransferDeadLetter));

    private static long Total(QueueCounts counts) =>
        counts.ActiveMessageCount + counts.Deferred + counts.Scheduled + counts.DeadLetter + counts.TransferDeadLetter;

    private static XElement? Optional(string name, string? value) => value is null ? null : Element(name, value);

    private static XElement Element(string name, object value) => new(Atom.ServiceBus + name, value);
}
