namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>
/// The bounds of every option. HTTP, the configuration file and CreateQueue all go through <see cref="QueueOptions.Validate"/>.
/// </summary>
public sealed class QueueOptionsTests
{
    private static readonly QueueOptions Options = new("orders");

    [Theory]
    [InlineData("00:00:00.005", true)]
    [InlineData("00:05:00", true)]
    [InlineData("00:00:00.0049999", false)]
    [InlineData("00:05:00.0000001", false)]
    [InlineData("-00:01:00", false)]
    [InlineData("10675199.02:48:05.4775807", false)]
    public void A_lock_lasts_5_ms_to_5_min(string duration, bool isValid) =>
        Takes(Options with { LockDuration = Span(duration) }, nameof(QueueOptions.LockDuration), isValid);

    [Theory]
    [InlineData("00:00:01", true)]
    [InlineData("10675199.02:48:05.4775807", true)]
    [InlineData("00:00:00.9999999", false)]
    public void A_message_lives_a_second_or_longer(string duration, bool isValid) =>
        Takes(Options with { DefaultMessageTimeToLive = Span(duration) }, nameof(QueueOptions.DefaultMessageTimeToLive), isValid);

    [Theory]
    [InlineData("00:00:20", true)]
    [InlineData("7.00:00:00", true)]
    [InlineData("00:00:19.9999999", false)]
    [InlineData("7.00:00:00.0000001", false)]
    public void Ids_are_remembered_20_s_to_7_days(string duration, bool isValid) =>
        Takes(
            Options with { DuplicateDetectionHistoryTimeWindow = Span(duration) },
            nameof(QueueOptions.DuplicateDetectionHistoryTimeWindow),
            isValid);

    [Theory]
    [InlineData("00:05:00", true)]
    [InlineData("10675199.02:48:05.4775807", true)]
    [InlineData("00:04:59.9999999", false)]
    public void An_entity_is_kept_unused_for_5_min_or_longer(string duration, bool isValid) =>
        Takes(Options with { AutoDeleteOnIdle = Span(duration) }, nameof(QueueOptions.AutoDeleteOnIdle), isValid);

    [Theory]
    [InlineData("other", true)]
    [InlineData("sb://host/other", true)]
    [InlineData("ORDERS", false)]
    [InlineData("amqps://host:5671/orders/", false)]
    public void A_queue_forwards_to_another(string target, bool isValid)
    {
        Takes(Options with { ForwardTo = target }, nameof(QueueOptions.ForwardTo), isValid);
        Takes(Options with { ForwardDeadLetteredMessagesTo = target }, nameof(QueueOptions.ForwardDeadLetteredMessagesTo), isValid);
    }

    [Fact]
    public void What_has_sessions_and_a_topic_do_not_forward_and_a_subscription_not_to_its_own_topic()
    {
        Takes(Options with { ForwardTo = "other", RequiresSession = true }, nameof(QueueOptions.ForwardTo), isValid: false);
        Takes(Options with { ForwardDeadLetteredMessagesTo = "other", RequiresSession = true }, "", isValid: true);
        Takes(Options with { ForwardTo = "other", Kind = EntityKind.Topic }, nameof(QueueOptions.ForwardTo), isValid: false);
        var subscription = QueueOptions.OfSubscription("orders", "one");
        Takes(subscription with { ForwardTo = "other" }, "", isValid: true);
        Takes(subscription with { ForwardTo = "orders" }, nameof(QueueOptions.ForwardTo), isValid: false);
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(int.MaxValue, true)]
    [InlineData(0, false)]
    public void A_message_is_tried_once_at_least(int count, bool isValid) =>
        Takes(Options with { MaxDeliveryCount = count }, nameof(QueueOptions.MaxDeliveryCount), isValid);

    [Theory]
    [InlineData(1, true)]
    [InlineData(81_920, true)]
    [InlineData(0, false)]
    [InlineData(81_921, false)]
    [InlineData(long.MaxValue, false)]
    public void A_queue_holds_1_MB_to_80_GB(long megabytes, bool isValid) =>
        Takes(Options with { MaxSizeInMegabytes = megabytes }, nameof(QueueOptions.MaxSizeInMegabytes), isValid);

    [Theory]
    [InlineData(1024, true)]
    [InlineData(104_857_600, true)]
    [InlineData(1023, false)]
    [InlineData(104_857_601, false)]
    public void A_message_has_up_to_1_KB_to_100_MB(long bytes, bool isValid) =>
        Takes(Options with { MaxMessageSize = bytes }, nameof(QueueOptions.MaxMessageSize), isValid);

    [Theory]
    [InlineData(1024, true)]
    [InlineData(1025, false)]
    public void Metadata_has_up_to_1024_characters(int length, bool isValid) =>
        Takes(Options with { UserMetadata = new string('x', length) }, nameof(QueueOptions.UserMetadata), isValid);

    [Fact]
    public void A_status_is_one_of_the_names() =>
        Takes(Options with { Status = (EntityStatus)9 }, nameof(QueueOptions.Status), isValid: false);

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
    [InlineData("-a", false)]
    [InlineData("a//b", false)]
    [InlineData("a/Subscriptions/b", false)]
    [InlineData("a/Subscriptions", false)]
    public void A_name_is_letters_digits_and_some_signs(string name, bool isValid) =>
        Takes(new QueueOptions(name), "cannot name a queue or topic", isValid);

    [Theory]
    [InlineData(260, true)]
    [InlineData(261, false)]
    [InlineData(1_000_000, false)]
    public void A_name_has_up_to_260_characters(int length, bool isValid) =>
        Takes(new QueueOptions(new string('x', length)), "cannot name a queue or topic", isValid);

    private static void Takes(QueueOptions options, string named, bool isValid)
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

    private static TimeSpan Span(string text) => TimeSpan.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
}
