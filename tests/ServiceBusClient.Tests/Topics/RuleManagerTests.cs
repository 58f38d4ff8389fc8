using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.LocalServiceBus.Entities;

namespace Azure.Messaging.ServiceBus.Tests.Topics;

public sealed class RuleManagerTests : BusTest
{
    [Fact]
    public async Task A_subscription_gets_what_its_rules_let_through_and_change()
    {
        await using var rules = NewRules();
        await rules.DeleteRuleAsync(RuleProperties.DefaultRuleName, Cancelled);
        await rules.CreateRuleAsync("red", new CorrelationRuleFilter { ApplicationProperties = { ["colour"] = "red" } }, Cancelled);
        var large = new CreateRuleOptions("large", new SqlRuleFilter("size > 5")) { Action = new SqlRuleAction("SET checked = 'yes'") };
        await rules.CreateRuleAsync(large, Cancelled);

        await using var sender = Client.CreateSender("news");
        await sender.SendMessageAsync(Message("small and blue", "blue", 1), Cancelled);
        await sender.SendMessageAsync(Message("small and red", "red", 1), Cancelled);
        await sender.SendMessageAsync(Message("large and blue", "blue", 9), Cancelled);
        var receiver = Owned(Client.CreateReceiver("news", "mine"));
        var (first, second) = (await OneAsync(receiver), await OneAsync(receiver));

        Assert.Equal(("small and red", "large and blue"), (first.Body.ToString(), second.Body.ToString()));
        Assert.Equal("yes", second.ApplicationProperties["checked"]);
        Assert.DoesNotContain("checked", first.ApplicationProperties.Keys);
    }

    [Fact]
    public async Task Rules_are_listed_as_they_were_created()
    {
        await using var rules = NewRules();
        CreateRuleOptions[] created =
        [
            new("none", new FalseRuleFilter()),
            new("sql", new SqlRuleFilter("size > 5")) { Action = new SqlRuleAction("SET size = 1") },
            new("correlation", new CorrelationRuleFilter("c")
            {
                MessageId = "m",
                To = "t",
                ReplyTo = "r",
                Subject = "s",
                SessionId = "i",
                ReplyToSessionId = "j",
                ContentType = "text/plain",
                ApplicationProperties = { ["size"] = 5L, ["colour"] = "red" }, // the broker knows no smaller number
            }),
        ];
        foreach (var rule in created)
            await rules.CreateRuleAsync(rule, Cancelled);

        var listed = await rules.GetRulesAsync(Cancelled).ToListAsync(Cancelled);

        Assert.Equal([RuleProperties.DefaultRuleName, "none", "sql", "correlation"], listed.Select(rule => rule.Name));
        // As from the package: true and false travel as SQL.
        Assert.Equal(
            [new TrueRuleFilter(), new SqlRuleFilter("1=0"), created[1].Filter, created[2].Filter], listed.Select(rule => rule.Filter));
        Assert.Equal([null, null, created[1].Action, null], listed.Select(rule => rule.Action));
    }

    [Fact]
    public async Task A_list_longer_than_a_page_is_read_to_its_end()
    {
        await using var rules = NewRules();
        var subscription = Broker.Broker.Entities.GetTopic("news").Get("mine");
        for (var number = 1; number <= 104; number++)
            subscription.AddRule(new($"rule-{number}"), TimeProvider.System.GetUtcNow());

        var names = await rules.GetRulesAsync(Cancelled).Select(rule => rule.Name).ToListAsync(Cancelled);

        Assert.Equal((105, 105), (names.Count, names.Distinct().Count()));
    }

    [Fact]
    public async Task Errors_say_what_is_wrong()
    {
        var rules = NewRules();
        var withParameters = new SqlRuleFilter("size > @least") { Parameters = { ["@least"] = 5 } };

        var existing = await Assert.ThrowsAsync<ServiceBusException>(
            () => rules.CreateRuleAsync(RuleProperties.DefaultRuleName, new TrueRuleFilter(), Cancelled));
        var missing = await Assert.ThrowsAsync<ServiceBusException>(() => rules.DeleteRuleAsync("nowhere", Cancelled));
        await Assert.ThrowsAsync<ArgumentException>(() => rules.CreateRuleAsync("bad", new SqlRuleFilter("size >"), Cancelled));
        await Assert.ThrowsAsync<NotSupportedException>(() => rules.CreateRuleAsync("parameters", withParameters, Cancelled));
        await rules.DisposeAsync();

        Assert.Equal(
            (ServiceBusFailureReason.MessagingEntityAlreadyExists, ServiceBusFailureReason.MessagingEntityNotFound),
            (existing.Reason, missing.Reason));
        Assert.Equal(("news/Subscriptions/mine", true), (rules.SubscriptionPath, rules.IsClosed));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => rules.DeleteRuleAsync("mine", Cancelled));
    }

    private static ServiceBusMessage Message(string body, string colour, int size) =>
        new(body) { ApplicationProperties = { ["colour"] = colour, ["size"] = size } };

    private ServiceBusRuleManager NewRules()
    {
        Broker.Broker.Entities.CreateTopic(new QueueOptions("news") { Kind = EntityKind.Topic });
        Broker.Broker.Entities.CreateSubscription(QueueOptions.OfSubscription("news", "mine"));
        return Client.CreateRuleManager("news", "mine");
    }
}
