namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class TopicAdministrationTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task Topic_keeps_its_description_and_updates_it()
    {
        var options = new CreateTopicOptions(NewName("topic"))
        {
            DefaultMessageTimeToLive = TimeSpan.FromDays(3),
            MaxSizeInMegabytes = 2048,
            RequiresDuplicateDetection = true,
            DuplicateDetectionHistoryTimeWindow = TimeSpan.FromMinutes(2),
            AutoDeleteOnIdle = TimeSpan.FromHours(1),
            UserMetadata = "ours",
        };
        var created = (await Admin.CreateTopicAsync(options, Cancelled)).Value;
        Assert.Equal(
            (
                options.DefaultMessageTimeToLive,
                2048,
                true,
                options.DuplicateDetectionHistoryTimeWindow,
                options.AutoDeleteOnIdle,
                "ours"
            ),
            (
                created.DefaultMessageTimeToLive,
                created.MaxSizeInMegabytes,
                created.RequiresDuplicateDetection,
                created.DuplicateDetectionHistoryTimeWindow,
                created.AutoDeleteOnIdle,
                created.UserMetadata
            )
        );
        created.UserMetadata = "theirs";
        await Admin.UpdateTopicAsync(created, Cancelled);

        Assert.Equal("theirs", (await Admin.GetTopicAsync(options.Name, Cancelled)).Value.UserMetadata);
        Assert.True(await Admin.TopicExistsAsync(options.Name, Cancelled));
        await Admin.DeleteTopicAsync(options.Name, Cancelled);
        Assert.False(await Admin.TopicExistsAsync(options.Name, Cancelled));
    }

    [Fact]
    public async Task Subscription_keeps_its_description_and_updates_it()
    {
        var options = new CreateSubscriptionOptions(await CreateTopicAsync(), "one")
        {
            LockDuration = TimeSpan.FromSeconds(45),
            MaxDeliveryCount = 7,
            DefaultMessageTimeToLive = TimeSpan.FromDays(3),
            DeadLetteringOnMessageExpiration = true,
            EnableDeadLetteringOnFilterEvaluationExceptions = false,
            RequiresSession = true,
            AutoDeleteOnIdle = TimeSpan.FromHours(1),
            UserMetadata = "ours",
        };
        var created = (await Admin.CreateSubscriptionAsync(options, Cancelled)).Value;
        Assert.Equal(options, new CreateSubscriptionOptions(created));
        created.MaxDeliveryCount = 3;
        await Admin.UpdateSubscriptionAsync(created, Cancelled);

        Assert.Equal(3, (await Admin.GetSubscriptionAsync(options.TopicName, "one", Cancelled)).Value.MaxDeliveryCount);
        Assert.True(await Admin.SubscriptionExistsAsync(options.TopicName, "one", Cancelled));
        await Admin.DeleteSubscriptionAsync(options.TopicName, "one", Cancelled);
        Assert.False(await Admin.SubscriptionExistsAsync(options.TopicName, "one", Cancelled));
    }

    [Fact]
    public async Task Rule_is_created_read_updated_listed_and_deleted()
    {
        var topic = await CreateTopicAsync("one");
        var filter = new CorrelationRuleFilter
        {
            Subject = "s",
            ApplicationProperties = { ["key"] = "value", ["count"] = 7 },
        };
        await Admin.CreateRuleAsync(topic, "one", new CreateRuleOptions("mine", filter), Cancelled);
        var rule = (await Admin.GetRuleAsync(topic, "one", "mine", Cancelled)).Value;
        var read = Assert.IsType<CorrelationRuleFilter>(rule.Filter);
        Assert.Equal(
            ("s", "value", 7),
            (read.Subject, read.ApplicationProperties["key"], read.ApplicationProperties["count"])
        );
        (rule.Filter, rule.Action) = (new SqlRuleFilter("a = 1"), new SqlRuleAction("SET b = 2"));
        await Admin.UpdateRuleAsync(topic, "one", rule, Cancelled);

        var rules = new List<RuleProperties>();
        await foreach (var one in Admin.GetRulesAsync(topic, "one", Cancelled))
            rules.Add(one);

        Assert.Equal(["$Default", "mine"], rules.Select(one => one.Name).Order(StringComparer.Ordinal));
        var mine = rules.Single(one => one.Name == "mine");
        Assert.Equal((new SqlRuleFilter("a = 1"), new SqlRuleAction("SET b = 2")), (mine.Filter, mine.Action));
        await Admin.DeleteRuleAsync(topic, "one", "mine", Cancelled);
        Assert.False(await Admin.RuleExistsAsync(topic, "one", "mine", Cancelled));
    }

    [Fact]
    public async Task Rule_manager_lists_rules_as_they_were_created()
    {
        var topic = await CreateTopicAsync("one");
        await using var manager = Client.CreateRuleManager(topic, "one");
        await manager.CreateRuleAsync(
            new CreateRuleOptions("sql", new SqlRuleFilter("a = 1")) { Action = new SqlRuleAction("SET b = 2") },
            Cancelled
        );
        var correlation = new CorrelationRuleFilter
        {
            Subject = "s",
            ApplicationProperties = { ["key"] = 7, ["long"] = 8L },
        };
        await manager.CreateRuleAsync("correlation", correlation, Cancelled);

        var rules = new Dictionary<string, RuleProperties>();
        await foreach (var rule in manager.GetRulesAsync(Cancelled))
            rules.Add(rule.Name, rule);

        Assert.Equal(["$Default", "correlation", "sql"], rules.Keys.Order(StringComparer.Ordinal));
        Assert.IsType<TrueRuleFilter>(rules["$Default"].Filter);
        Assert.Equal(
            (new SqlRuleFilter("a = 1"), new SqlRuleAction("SET b = 2")),
            (rules["sql"].Filter, rules["sql"].Action)
        );
        var read = Assert.IsType<CorrelationRuleFilter>(rules["correlation"].Filter);
        Assert.Equal(
            ("s", 7, 8L),
            (read.Subject, read.ApplicationProperties["key"], read.ApplicationProperties["long"])
        );
        Assert.Null(rules["correlation"].Action);
    }

    [Fact]
    public async Task Deleting_a_missing_rule_reports_not_found()
    {
        var topic = await CreateTopicAsync("one");
        await using var manager = Client.CreateRuleManager(topic, "one");

        var error = await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () =>
            manager.DeleteRuleAsync("absent", Cancelled)
        );

        // Other SDKs recognize the error by this text.
        Assert.Matches($"The messaging entity .*{topic}.*absent.* could not be found", error.Message);
    }
}
