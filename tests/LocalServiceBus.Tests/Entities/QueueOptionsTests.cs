using System.Globalization;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>
/// The bounds of every option. HTTP, the configuration file, and CreateQueue all go through <see
/// cref="QueueOptions.Validate"/>.
/// </summary>
public sealed class QueueOptionsTests
{
    private const string Longest = "10675199.02:48:05.4775807";

    private static readonly QueueOptions Options = new("orders");

    [Theory]
    [InlineData(nameof(QueueOptions.LockDuration), "00:00:00.005", true)]
    [InlineData(nameof(QueueOptions.LockDuration), "00:05:00", true)]
    [InlineData(nameof(QueueOptions.LockDuration), "00:00:00.0049999", false)]
    [InlineData(nameof(QueueOptions.LockDuration), "00:05:00.0000001", false)]
    [InlineData(nameof(QueueOptions.LockDuration), "-00:01:00", false)]
    [InlineData(nameof(QueueOptions.LockDuration), Longest, false)]
    [InlineData(nameof(QueueOptions.DefaultMessageTimeToLive), "00:00:01", true)]
    [InlineData(nameof(QueueOptions.DefaultMessageTimeToLive), Longest, true)]
    [InlineData(nameof(QueueOptions.DefaultMessageTimeToLive), "00:00:00.9999999", false)]
    [InlineData(nameof(QueueOptions.DuplicateDetectionHistoryTimeWindow), "00:00:05", true)]
    [InlineData(nameof(QueueOptions.DuplicateDetectionHistoryTimeWindow), "7.00:00:00", true)]
    [InlineData(nameof(QueueOptions.DuplicateDetectionHistoryTimeWindow), "00:00:04.9999999", false)]
    [InlineData(nameof(QueueOptions.DuplicateDetectionHistoryTimeWindow), "7.00:00:00.0000001", false)]
    [InlineData(nameof(QueueOptions.AutoDeleteOnIdle), "00:05:00", true)]
    [InlineData(nameof(QueueOptions.AutoDeleteOnIdle), Longest, true)]
    [InlineData(nameof(QueueOptions.AutoDeleteOnIdle), "00:04:59.9999999", false)]
    public void Duration_option_has_bounds(string option, string duration, bool isValid) =>
        AssertValidity(With(option, TimeSpan.Parse(duration, CultureInfo.InvariantCulture)), option, isValid);

    [Theory]
    [InlineData(nameof(QueueOptions.MaxDeliveryCount), 1, true)]
    [InlineData(nameof(QueueOptions.MaxDeliveryCount), int.MaxValue, true)]
    [InlineData(nameof(QueueOptions.MaxDeliveryCount), 0, false)]
    [InlineData(nameof(QueueOptions.MaxSizeInMegabytes), 1L, true)]
    [InlineData(nameof(QueueOptions.MaxSizeInMegabytes), 81_920L, true)]
    [InlineData(nameof(QueueOptions.MaxSizeInMegabytes), 0L, false)]
    [InlineData(nameof(QueueOptions.MaxSizeInMegabytes), 81_921L, false)]
    [InlineData(nameof(QueueOptions.MaxSizeInMegabytes), long.MaxValue, false)]
    [InlineData(nameof(QueueOptions.MaxMessageSize), 1024L, true)]
    [InlineData(nameof(QueueOptions.MaxMessageSize), 104_857_600L, true)]
    [InlineData(nameof(QueueOptions.MaxMessageSize), 1023L, false)]
    [InlineData(nameof(QueueOptions.MaxMessageSize), 104_857_601L, false)]
    [InlineData(nameof(QueueOptions.ForwardTo), "other", true)]
    [InlineData(nameof(QueueOptions.ForwardTo), "sb://host/other", true)]
    [InlineData(nameof(QueueOptions.ForwardTo), "ORDERS", false)]
    [InlineData(nameof(QueueOptions.ForwardTo), "amqps://host:5671/orders/", false)]
    [InlineData(nameof(QueueOptions.ForwardDeadLetteredMessagesTo), "other", true)]
    [InlineData(nameof(QueueOptions.ForwardDeadLetteredMessagesTo), "ORDERS", false)]
    [InlineData(nameof(QueueOptions.Status), (EntityStatus)9, false)]
    public void Numeric_option_has_bounds(string option, object value, bool isValid) =>
        AssertValidity(With(option, value), option, isValid);

    [Fact]
    public void Options_must_match_the_kind_and_each_other()
    {
        AssertValidity(
            Options with
            {
                RequiresSession = true,
                Kind = EntityKind.Topic,
            },
            nameof(QueueOptions.RequiresSession),
            isValid: false
        );
        AssertValidity(
            Options with
            {
                ForwardTo = "other",
                RequiresSession = true,
            },
            nameof(QueueOptions.ForwardTo),
            isValid: false
        );
        AssertValidity(
            Options with
            {
                ForwardDeadLetteredMessagesTo = "other",
                RequiresSession = true,
            },
            "",
            isValid: true
        );
        AssertValidity(
            Options with
            {
                ForwardTo = "other",
                Kind = EntityKind.Topic,
            },
            nameof(QueueOptions.ForwardTo),
            isValid: false
        );
        var subscription = QueueOptions.OfSubscription("orders", "one");
        AssertValidity(subscription with { ForwardTo = "other" }, "", isValid: true);
        AssertValidity(subscription with { ForwardTo = "orders" }, nameof(QueueOptions.ForwardTo), isValid: false);
        AssertValidity(
            subscription with
            {
                RequiresDuplicateDetection = true,
            },
            nameof(QueueOptions.RequiresDuplicateDetection),
            isValid: false
        );
        AssertValidity(
            subscription with
            {
                Rules = [new("red"), new("RED")],
            },
            nameof(QueueOptions.Rules),
            isValid: false
        );
    }

    [Theory]
    [InlineData("a", true)]
    [InlineData("Team-1/orders_v2.new~x", true)]
    [InlineData("", false)]
    [InlineData("a b", false)]
    [InlineData("a$b", false)]
    [InlineData("a\u0000b", false)]
    [InlineData("a\n", false)]
    [InlineData("ä", false)]
    [InlineData("/a", false)]
    [InlineData("a/", false)]
    [InlineData("MassTransit/Fault--Shop/Order--", true)]
    [InlineData("_a_/-b-/.c./~d~", true)]
    [InlineData(".", false)]
    [InlineData("a/../b", false)]
    [InlineData("a//b", false)]
    [InlineData("a/Subscriptions/b", false)]
    [InlineData("a/Subscriptions", false)]
    public void Name_allows_letters_digits_and_some_punctuation(string name, bool isValid) =>
        AssertValidity(new QueueOptions(name), "is not a valid queue or topic name", isValid);

    [Theory]
    [InlineData(1024, 260, true)]
    [InlineData(1025, 261, false)]
    [InlineData(1_000_000, 1_000_000, false)]
    public void Metadata_and_names_have_a_maximum_length(int metadata, int name, bool isValid)
    {
        AssertValidity(
            Options with
            {
                UserMetadata = new string('x', metadata),
            },
            nameof(QueueOptions.UserMetadata),
            isValid
        );
        AssertValidity(new QueueOptions(new string('x', name)), "is not a valid queue or topic name", isValid);
    }

    private static QueueOptions With(string option, object value)
    {
        var changed = Options with { };
        typeof(QueueOptions).GetProperty(option)!.SetValue(changed, value);
        return changed;
    }

    private static void AssertValidity(QueueOptions options, string named, bool isValid)
    {
        if (isValid)
        {
            Assert.Same(options, options.Validate());
            return;
        }
        var refusal = Assert.Throws<EntityException>(options.Validate);
        Assert.Equal(EntityFailure.InvalidOption, refusal.Failure);
        Assert.Contains(named, refusal.Message, StringComparison.Ordinal);
        Assert.InRange(refusal.Message.Length, 1, 500);
    }
}
