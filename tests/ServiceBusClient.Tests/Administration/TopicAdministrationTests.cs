using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

/// <summary>Topics, subscriptions and rules over HTTP.</summary>
public sealed class TopicAdministrationTests : IAsyncLifetime
{
    private BrokerFixture _broker = null!;
    private ServiceBusAdministrationClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _broker = await BrokerFixture.StartAsync(cancellationToken: Cancelled);
        _client = new ServiceBusAdministrationClient(_broker.ConnectionString, new ServiceBusAdministrationClientOptions());
    }

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public async Task A_topic_and_a_subscription_exist_from_their_creation_to_their_deletion()
    {
        Assert.False(await _client.TopicExistsAsync("news", Cancelled));
        Assert.False(await _client.SubscriptionExistsAsync("news", "all", Cancelled));
        await _client.CreateTopicAsync("news", Cancelled);
        await _client.CreateSubscriptionAsync("news", "all", Cancelled);

        Assert.True(await _client.TopicExistsAsync("news", Cancelled));
        Assert.False(await _client.QueueExistsAsync("news", Cancelled));
        Assert.True(await _client.SubscriptionExistsAsync("news", "all", Cancelled));

        await _client.DeleteSubscriptionAsync("news", "all", Cancelled);
        Assert.False(await _client.SubscriptionExistsAsync("news", "all", Cancelled));
        await _client.DeleteTopicAsync("news", Cancelled);
        Assert.False(await _client.TopicExistsAsync("news", Cancelled));
    }

    [Fact]
    public async Task What_is_created_has_what_was_asked_for_and_an_update_changes_it()
    {
        TopicProperties topic = await _client.CreateTopicAsync(
            new CreateTopicOptions("news") { DefaultMessageTimeToLive = TimeSpan.FromHours(1), UserMetadata = "mine" }, Cancelled);
        SubscriptionProperties subscription = await _client.CreateSubscriptionAsync(
            new CreateSubscriptionOptions("news", "all") { MaxDeliveryCount = 3, RequiresSession = true }, Cancelled);

        topic.UserMetadata = "yours";
        subscription.LockDuration = TimeSpan.FromSeconds(5);
        await _client.UpdateTopicAsync(topic, Cancelled);
        await _client.UpdateSubscriptionAsync(subscription, Cancelled);
        topic = await _client.GetTopicAsync("news", Cancelled);
        subscription = await _client.GetSubscriptionAsync("news", "all", Cancelled);

        Assert.Equal(("news", "yours", TimeSpan.FromHours(1)), (topic.Name, topic.UserMetadata, topic.DefaultMessageTimeToLive));
        Assert.Equal(("news", "all"), (subscription.TopicName, subscription.SubscriptionName));
        Assert.Equal(
            (3, true, TimeSpan.FromSeconds(5)), (subscription.MaxDeliveryCount, subscription.RequiresSession, subscription.LockDuration));
    }

    [Fact]
    public async Task Lists_have_all_and_counts_are_those_of_the_subscription()
    {
        foreach (var topic in new[] { "news", "orders" })
        {
            await _client.CreateTopicAsync(topic, Cancelled);
            await _client.CreateSubscriptionAsync(topic, "a", Cancelled);
            await _client.CreateSubscriptionAsync(topic, "b", Cancelled);
        }
        await using var client = new ServiceBusClient(_broker.ConnectionString);
        await client.CreateSender("news").SendMessageAsync(new ServiceBusMessage("x"), Cancelled);

        var topics = await _client.GetTopicsAsync(Cancelled).ToListAsync(Cancelled);
        var counted = await _client.GetTopicsRuntimePropertiesAsync(Cancelled).ToListAsync(Cancelled);
        var subscriptions = await _client.GetSubscriptionsAsync("news", Cancelled).ToListAsync(Cancelled);
        var countedToo = await _client.GetSubscriptionsRuntimePropertiesAsync("news", Cancelled).ToListAsync(Cancelled);
        Assert.Equal(["news", "orders"], topics.Select(topic => topic.Name));
        Assert.Equal([("news", 2), ("orders", 2)], counted.Select(topic => (topic.Name, topic.SubscriptionCount)));
        Assert.Equal([("news", "a"), ("news", "b")], subscriptions.Select(one => (one.TopicName, one.SubscriptionName)));
        Assert.Equal([("a", 1L), ("b", 1L)], countedToo.Select(one => (one.SubscriptionName, one.ActiveMessageCount)));
        SubscriptionRuntimeProperties counts = await _client.GetSubscriptionRuntimePropertiesAsync("news", "a", Cancelled);
        TopicRuntimeProperties ofTopic = await _client.GetTopicRuntimePropertiesAsync("news", Cancelled);
        Assert.Equal(("news", "a", 1, 1), (counts.TopicName, counts.SubscriptionName, counts.ActiveMessageCount, counts.TotalMessageCount));
        Assert.Equal(("news", 0, 2), (ofTopic.Name, ofTopic.ScheduledMessageCount, ofTopic.SubscriptionCount));
        Assert.True(ofTopic.SizeInBytes > 0);
    }

    [Fact]
    public async Task A_subscription_begins_with_the_rule_that_it_is_given()
    {
        await _client.CreateTopicAsync("news", Cancelled);
        var red = new CreateRuleOptions("red", new SqlRuleFilter("colour = @colour") { Parameters = { ["@colour"] = "red" } })
        {
            Action = new SqlRuleAction("SET seen = 1"),
        };

        await _client.CreateSubscriptionAsync(new CreateSubscriptionOptions("news", "red"), red, Cancelled);
        await _client.CreateSubscriptionAsync("news", "all", Cancelled);

        var rule = Assert.Single(await _client.GetRulesAsync("news", "red", Cancelled).ToListAsync(Cancelled));
        Assert.Equal(("red", red.Filter, red.Action), (rule.Name, rule.Filter, rule.Action));
        var first = Assert.Single(await _client.GetRulesAsync("news", "all", Cancelled).ToListAsync(Cancelled));
        Assert.Equal((RuleProperties.DefaultRuleName, new TrueRuleFilter()), (first.Name, first.Filter));
    }

    [Fact]
    public async Task Rules_are_created_read_changed_and_deleted()
    {
        await _client.CreateTopicAsync("news", Cancelled);
        await _client.CreateSubscriptionAsync("news", "all", Cancelled);
        var filter = new CorrelationRuleFilter("c") { ApplicationProperties = { ["size"] = 5 } };

        RuleProperties created = await _client.CreateRuleAsync("news", "all", new CreateRuleOptions("mine", filter), Cancelled);
        created.Filter = new SqlRuleFilter("size > 5");
        created.Action = new SqlRuleAction("SET size = 1");
        await _client.UpdateRuleAsync("news", "all", created, Cancelled);
        RuleProperties changed = await _client.GetRuleAsync("news", "all", "mine", Cancelled);

        Assert.Equal((new SqlRuleFilter("size > 5"), new SqlRuleAction("SET size = 1")), (changed.Filter, changed.Action));
        Assert.True(await _client.RuleExistsAsync("news", "all", "mine", Cancelled));
        await _client.DeleteRuleAsync("news", "all", "mine", Cancelled);
        Assert.False(await _client.RuleExistsAsync("news", "all", "mine", Cancelled));
    }

    [Fact]
    public async Task Errors_say_what_is_wrong()
    {
        await _client.CreateTopicAsync("news", Cancelled);
        await _client.CreateSubscriptionAsync("news", "all", Cancelled);
        var bad = new CreateRuleOptions("bad", new SqlRuleFilter("size >"));

        ServiceBusException[] missing =
        [
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.GetTopicAsync("nowhere", Cancelled)),
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.GetSubscriptionAsync("news", "nowhere", Cancelled)),
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.GetRuleAsync("news", "all", "nowhere", Cancelled)),
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.GetQueueAsync("news", Cancelled)),
        ];
        ServiceBusException[] existing =
        [
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.CreateTopicAsync("news", Cancelled)),
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.CreateSubscriptionAsync("news", "all", Cancelled)),
            await Assert.ThrowsAsync<ServiceBusException>(() => _client.CreateRuleAsync("news", "all", new CreateRuleOptions(), Cancelled)),
        ];

        Assert.All(missing, error => Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, error.Reason));
        Assert.All(existing, error => Assert.Equal(ServiceBusFailureReason.MessagingEntityAlreadyExists, error.Reason));
        await Assert.ThrowsAsync<ArgumentException>(() => _client.CreateRuleAsync("news", "all", bad, Cancelled));
    }

    [Fact]
    public async Task The_namespace_has_a_tier()
    {
        NamespaceProperties properties = await _client.GetNamespacePropertiesAsync(Cancelled);

        Assert.Equal((MessagingSku.Standard, null, 0), (properties.MessagingSku, properties.Alias, properties.MessagingUnits));
        Assert.Contains(properties.Name, _broker.ConnectionString, StringComparison.Ordinal);
        Assert.NotEqual(default, properties.CreatedTime);
    }

    [Fact]
    public void Only_versions_that_there_are_can_be_asked_for() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceBusAdministrationClient(
            _broker.ConnectionString, new ServiceBusAdministrationClientOptions((ServiceBusAdministrationClientOptions.ServiceVersion)9)));
}
