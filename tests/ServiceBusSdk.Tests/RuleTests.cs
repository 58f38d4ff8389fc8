namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class RuleTests(Bus bus) : BusTest(bus)
{
    private const string Subscription = "tested", End = "the end";

    private static IEnumerable<ServiceBusMessage> Goods =>
    [
        new("red") { ApplicationProperties = { ["color"] = "red", ["size"] = 2, ["fragile"] = true } },
        new("blue") { ApplicationProperties = { ["color"] = "blue", ["size"] = 5L, ["weight"] = 0.5 } },
        new("bare"),
    ];

    [Fact]
    public async Task A_correlation_filter_wants_all_that_it_names_with_its_type()
    {
        Assert.Equal(["red"], Bodies(await PassedAsync(Filter(("color", "red"), ("size", 2), ("fragile", true)))));
        Assert.Empty(await PassedAsync(Filter(("color", "red"), ("size", 3))));

        static CorrelationRuleFilter Filter(params (string Key, object Value)[] properties)
        {
            var filter = new CorrelationRuleFilter();
            foreach (var (key, value) in properties)
                filter.ApplicationProperties[key] = value;
            return filter;
        }
    }

    [Fact]
    public async Task An_action_changes_the_copy_and_names_its_rule()
    {
        var action = new SqlRuleAction("SET size = size * 10; REMOVE fragile; SET sys.Label = 'changed'; SET added = 'x'");

        var message = Assert.Single(await PassedAsync(new SqlRuleFilter("color = 'red'"), action));

        Assert.Equal(("red", "changed"), (message.Body.ToString(), message.Subject));
        Assert.Equal(
            ["RuleName=tested", "added=x", "color=red", "size=20"],
            message.ApplicationProperties.Select(property => $"{property.Key}={property.Value}").Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_rule_manager_lists_rules_as_they_were_created()
    {
        var topic = await CreateTopicAsync(Subscription);
        await using var manager = Client.CreateRuleManager(topic, Subscription);
        await manager.CreateRuleAsync(
            new CreateRuleOptions("sql", new SqlRuleFilter("a = 1")) { Action = new SqlRuleAction("SET b = 2") }, Cancelled);
        var correlation = new CorrelationRuleFilter { Subject = "s", ApplicationProperties = { ["key"] = 7, ["long"] = 8L } };
        await manager.CreateRuleAsync("correlation", correlation, Cancelled);

        var rules = new Dictionary<string, RuleProperties>();
        await foreach (var rule in manager.GetRulesAsync(Cancelled))
            rules.Add(rule.Name, rule);

        Assert.Equal(["$Default", "correlation", "sql"], rules.Keys.Order(StringComparer.Ordinal));
        Assert.IsType<TrueRuleFilter>(rules["$Default"].Filter);
        Assert.Equal((new SqlRuleFilter("a = 1"), new SqlRuleAction("SET b = 2")), (rules["sql"].Filter, rules["sql"].Action));
        var read = Assert.IsType<CorrelationRuleFilter>(rules["correlation"].Filter);
        Assert.Equal(("s", 7, 8L), (read.Subject, read.ApplicationProperties["key"], read.ApplicationProperties["long"]));
        Assert.Null(rules["correlation"].Action);
    }

    /// <summary>Those of the goods that come to a subscription with this rule.</summary>
    private async Task<List<ServiceBusReceivedMessage>> PassedAsync(RuleFilter filter, RuleAction? action = null)
    {
        var topic = await CreateTopicAsync();
        var subscription = new CreateSubscriptionOptions(topic, Subscription);
        await Admin.CreateSubscriptionAsync(subscription, new CreateRuleOptions("tested", filter) { Action = action }, Cancelled);
        await Admin.CreateRuleAsync(
            topic, Subscription, new CreateRuleOptions("end", new CorrelationRuleFilter { Subject = End }), Cancelled);
        await SendAsync(topic, Goods.Append(new ServiceBusMessage(End) { Subject = End }));
        var receiver = Client.CreateReceiver(topic, Subscription);
        var passed = new List<ServiceBusReceivedMessage>();
        while (passed.LastOrDefault()?.Subject != End)
            passed.Add(await OneAsync(receiver));
        return passed[..^1];
    }
}
