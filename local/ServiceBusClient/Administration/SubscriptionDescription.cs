using System.Xml;
using System.Xml.Linq;
using static Azure.Messaging.ServiceBus.Administration.Atom;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A subscription in the broker's XML.</summary>
internal static class SubscriptionDescription
{
    public const string Root = "SubscriptionDescription";

    private static readonly Dictionary<string, Action<SubscriptionProperties, string>> Setters = new()
    {
        ["LockDuration"] = (one, value) => one.LockDuration = XmlConvert.ToTimeSpan(value),
        ["RequiresSession"] = (one, value) => one.RequiresSession = XmlConvert.ToBoolean(value),
        ["DefaultMessageTimeToLive"] = (one, value) => one.DefaultMessageTimeToLive = XmlConvert.ToTimeSpan(value),
        ["DeadLetteringOnMessageExpiration"] = (one, value) => one.DeadLetteringOnMessageExpiration = XmlConvert.ToBoolean(value),
        ["DeadLetteringOnFilterEvaluationExceptions"] = (one, value) =>
            one.EnableDeadLetteringOnFilterEvaluationExceptions = XmlConvert.ToBoolean(value),
        ["MaxDeliveryCount"] = (one, value) => one.MaxDeliveryCount = XmlConvert.ToInt32(value),
        ["EnableBatchedOperations"] = (one, value) => one.EnableBatchedOperations = XmlConvert.ToBoolean(value),
        ["Status"] = (one, value) => one.Status = value,
        ["ForwardTo"] = (one, value) => one.ForwardTo = value.Length == 0 ? null : value,
        ["UserMetadata"] = (one, value) => one.UserMetadata = value,
        ["ForwardDeadLetteredMessagesTo"] = (one, value) => one.ForwardDeadLetteredMessagesTo = value.Length == 0 ? null : value,
        ["AutoDeleteOnIdle"] = (one, value) => one.AutoDeleteOnIdle = XmlConvert.ToTimeSpan(value),
    };

    /// <summary>The order of the elements is the broker's schema: it ignores what comes out of order.</summary>
    /// <param name="subscription">The subscription.</param>
    /// <param name="rule">That it begins with; null: one that lets every message through.</param>
    public static string Write(SubscriptionProperties subscription, RuleProperties? rule = null) => Atom.Write(new XElement(
        Atom.ServiceBus + Root,
        Element("LockDuration", subscription.LockDuration),
        Element("RequiresSession", subscription.RequiresSession),
        Element("DefaultMessageTimeToLive", Limited(subscription.DefaultMessageTimeToLive)),
        Element("DeadLetteringOnMessageExpiration", subscription.DeadLetteringOnMessageExpiration),
        Element("DeadLetteringOnFilterEvaluationExceptions", subscription.EnableDeadLetteringOnFilterEvaluationExceptions),
        rule is null ? null : RuleDescription.Element("DefaultRuleDescription", rule),
        Element("MaxDeliveryCount", subscription.MaxDeliveryCount),
        Element("EnableBatchedOperations", subscription.EnableBatchedOperations),
        Element("Status", subscription.Status.ToString()),
        Element("ForwardTo", subscription.ForwardTo),
        Element("UserMetadata", subscription.UserMetadata),
        Element("ForwardDeadLetteredMessagesTo", subscription.ForwardDeadLetteredMessagesTo),
        Element("AutoDeleteOnIdle", Limited(subscription.AutoDeleteOnIdle)),
        subscription.Unknown));

    public static SubscriptionProperties Properties(string topicName, string name, XElement description)
    {
        var subscription = new SubscriptionProperties(topicName, name);
        return Set(subscription, description, Setters, subscription.Unknown);
    }

    public static SubscriptionRuntimeProperties RuntimeProperties(string topicName, string name, XElement description) =>
        new(topicName, name)
        {
            ActiveMessageCount = Count(description, "ActiveMessageCount"),
            DeadLetterMessageCount = Count(description, "DeadLetterMessageCount"),
            TransferMessageCount = Count(description, "TransferMessageCount"),
            TransferDeadLetterMessageCount = Count(description, "TransferDeadLetterMessageCount"),
            TotalMessageCount = Count(description, "MessageCount"),
            CreatedAt = Time(description, "CreatedAt"),
            UpdatedAt = Time(description, "UpdatedAt"),
            AccessedAt = Time(description, "AccessedAt"),
        };
}
