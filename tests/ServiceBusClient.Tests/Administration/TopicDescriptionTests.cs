using System.Xml.Linq;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

/// <summary>Topics and subscriptions in the broker's XML.</summary>
public sealed class TopicDescriptionTests
{
    private static readonly XNamespace Bus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

    /// <summary>Nothing of it is as the defaults are.</summary>
    private static CreateTopicOptions UnusualTopic => new("news")
    {
        MaxSizeInMegabytes = 3,
        MaxMessageSizeInKilobytes = 4,
        DefaultMessageTimeToLive = TimeSpan.FromDays(5),
        RequiresDuplicateDetection = true,
        DuplicateDetectionHistoryTimeWindow = TimeSpan.FromMinutes(6),
        AutoDeleteOnIdle = TimeSpan.FromHours(7),
        EnableBatchedOperations = false,
        EnablePartitioning = true,
        SupportOrdering = true,
        Status = EntityStatus.SendDisabled,
        UserMetadata = "mine",
    };

    private static CreateSubscriptionOptions UnusualSubscription => new("news", "all")
    {
        LockDuration = TimeSpan.FromSeconds(1.5),
        RequiresSession = true,
        DefaultMessageTimeToLive = TimeSpan.FromDays(5),
        DeadLetteringOnMessageExpiration = true,
        EnableDeadLetteringOnFilterEvaluationExceptions = false,
        MaxDeliveryCount = 2,
        EnableBatchedOperations = false,
        Status = EntityStatus.ReceiveDisabled,
        ForwardTo = "next",
        ForwardDeadLetteredMessagesTo = "dead",
        AutoDeleteOnIdle = TimeSpan.FromHours(7),
        UserMetadata = "mine",
    };

    [Fact]
    public void A_topic_is_read_as_it_was_written_property_by_property()
    {
        var written = TopicDescription.Write(new TopicProperties(UnusualTopic));
        var read = Atom.Single(written, TopicDescription.Root, (_, xml) => TopicDescription.Properties("news", xml))!;

        AssertSame(UnusualTopic, new CreateTopicOptions(read), new CreateTopicOptions("news"), ["Name"]);
        Assert.Empty(read.Unknown);
        Assert.Equal(
            [
                "DefaultMessageTimeToLive", "MaxSizeInMegabytes", "RequiresDuplicateDetection", "DuplicateDetectionHistoryTimeWindow",
                "EnableBatchedOperations", "Status", "UserMetadata", "SupportOrdering", "AutoDeleteOnIdle", "EnablePartitioning",
                "MaxMessageSizeInKilobytes",
            ],
            ElementsOf(written, TopicDescription.Root));
    }

    [Fact]
    public void A_subscription_is_read_as_it_was_written_property_by_property()
    {
        var written = SubscriptionDescription.Write(new SubscriptionProperties(UnusualSubscription), new RuleProperties("mine"));
        var read = Atom.Single(
            written, SubscriptionDescription.Root, (_, xml) => SubscriptionDescription.Properties("news", "all", xml))!;

        AssertSame(
            UnusualSubscription,
            new CreateSubscriptionOptions(read),
            new CreateSubscriptionOptions("news", "all"),
            ["TopicName", "SubscriptionName"]);
        Assert.Empty(read.Unknown);
        Assert.Equal(
            [
                "LockDuration", "RequiresSession", "DefaultMessageTimeToLive", "DeadLetteringOnMessageExpiration",
                "DeadLetteringOnFilterEvaluationExceptions", "DefaultRuleDescription", "MaxDeliveryCount", "EnableBatchedOperations",
                "Status", "ForwardTo", "UserMetadata", "ForwardDeadLetteredMessagesTo", "AutoDeleteOnIdle",
            ],
            ElementsOf(written, SubscriptionDescription.Root));
    }

    [Fact]
    public void What_only_the_broker_knows_goes_back_to_it_and_what_it_counts_does_not()
    {
        XElement[] given =
        [
            new(Bus + "NewInTheCloud", "x"), new(Bus + "SubscriptionCount", 5), new(Bus + "MessageCount", 5), new(Bus + "ForwardTo", ""),
        ];

        var topic = TopicDescription.Properties("news", new XElement(Bus + TopicDescription.Root, given[..3]));
        var subscription = SubscriptionDescription.Properties("news", "all", new XElement(Bus + SubscriptionDescription.Root, given));

        Assert.Equal("NewInTheCloud", Assert.Single(topic.Unknown).Name.LocalName);
        Assert.Equal("NewInTheCloud", ElementsOf(SubscriptionDescription.Write(subscription), SubscriptionDescription.Root)[^1]);
        Assert.Null(subscription.ForwardTo);
    }

    [Fact]
    public void A_tier_is_its_name_whatever_its_case()
    {
        MessagingSku tier = "premium";

        Assert.True(tier == MessagingSku.Premium && tier != MessagingSku.Basic);
        Assert.Equal(MessagingSku.Premium.GetHashCode(), tier.GetHashCode());
        Assert.Throws<ArgumentNullException>(() => (MessagingSku)(string)null!);
    }

    private static void AssertSame<T>(T wanted, T copy, T byDefault, string[] names)
    {
        foreach (var property in typeof(T).GetProperties())
        {
            Assert.Equal(property.GetValue(wanted), property.GetValue(copy));
            if (!names.Contains(property.Name))
                Assert.NotEqual(property.GetValue(wanted), property.GetValue(byDefault));
        }
    }

    private static string[] ElementsOf(string xml, string root) =>
        [.. XElement.Parse(xml).Descendants(Bus + root).Elements().Select(element => element.Name.LocalName)];
}
