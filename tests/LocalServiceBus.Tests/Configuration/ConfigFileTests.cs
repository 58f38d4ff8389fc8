using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Configuration;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Configuration;

public sealed class ConfigFileTests
{
    [Fact]
    public void Every_property_is_read_and_missing_ones_get_defaults()
    {
        var queues = Parse(
            """
            { "UserConfig": { "Logging": { "Type": "File" }, "Namespaces": [ { "Name": "sbemulatorns", "Topics": [], "Queues": [ {
                "Name": "queue.1",
                "Properties": {
                  "DeadLetteringOnMessageExpiration": true,
                  "DefaultMessageTimeToLive": "PT1H",
                  "DuplicateDetectionHistoryTimeWindow": "PT20S",
                  "ForwardDeadLetteredMessagesTo": "",
                  "ForwardTo": "",
                  "LockDuration": "PT1M30S",
                  "MaxDeliveryCount": 3,
                  "RequiresDuplicateDetection": true,
                  "RequiresSession": false
                } }, { "Name": "plain" } ] } ] } }
            """
        );

        Assert.Equal(
            [
                new QueueOptions("queue.1")
                {
                    DeadLetteringOnMessageExpiration = true,
                    DefaultMessageTimeToLive = TimeSpan.FromHours(1),
                    DuplicateDetectionHistoryTimeWindow = TimeSpan.FromSeconds(20),
                    LockDuration = TimeSpan.FromSeconds(90),
                    MaxDeliveryCount = 3,
                    RequiresDuplicateDetection = true,
                },
                new QueueOptions("plain"),
            ],
            queues
        );
    }

    [Fact]
    public void Declared_rules_replace_the_well_known_rule()
    {
        Assert.Equal([AccessRule.WellKnown], Rules("""{ "Queues": [] }"""));
        Assert.Equal(
            [
                new AccessRule("a", "1", AccessRights.Listen | AccessRights.Send),
                new AccessRule("b", "2", AccessRights.All),
            ],
            Rules(
                """
                { "AuthorizationRules": [
                    { "Name": "a", "Key": "1", "Rights": [ "Send", "Listen" ] }, { "Name": "b", "Key": "2", "Rights": [ "Manage" ] } ] }
                """
            )
        );
    }

    [Theory]
    [InlineData("""[]""", "AuthorizationRules: must have 1 to 12 rules.")]
    [InlineData("""[ { "Key": "1", "Rights": [ "Send" ] } ]""", "AuthorizationRules[0].Name")]
    [InlineData("""[ { "Name": "a", "Key": "", "Rights": [ "Send" ] } ]""", "AuthorizationRules[0].Key")]
    [InlineData("""[ { "Name": "a", "Key": "1" } ]""", "AuthorizationRules[0].Rights")]
    [InlineData("""[ null ]""", "AuthorizationRules[0].Name")]
    [InlineData("""[ { "Name": "a:b", "Key": "1", "Rights": [ "Send" ] } ]""", "AuthorizationRules[0].Name")]
    [InlineData("""[ { "Name": "a", "Key": "1;2", "Rights": [ "Send" ] } ]""", "AuthorizationRules[0].Key")]
    [InlineData(
        """[ { "Name": "a", "Key": "1", "Rights": [ "send" ] } ]""",
        "'send' is not a valid claim. Expected Listen, Send, or Manage"
    )]
    [InlineData(
        """[ { "Name": "a", "Key": "1", "Rights": [ "Send" ] }, { "Name": "a", "Key": "1", "Rights": [ "Send" ] } ]""",
        "AuthorizationRules[1].Name: 'a' is declared twice"
    )]
    public void Invalid_rule_is_rejected_with_its_path(string rules, string fault)
    {
        var error = Assert.Throws<FormatException>(() => Rules($$"""{ "AuthorizationRules": {{rules}} }"""));

        Assert.StartsWith("UserConfig.Namespaces[0].AuthorizationRules", error.Message, StringComparison.Ordinal);
        Assert.Contains(fault, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Comments_trailing_commas_and_a_byte_order_mark_are_accepted() =>
        Assert.Equal("q", Assert.Single(Parse("\uFEFF// queues\n" + Queues("""{ "Name": "q", },"""))).Name);

    [Theory]
    [InlineData(
        """{ "Name": "q", "Properties": { "LockDuration": "30" } }""",
        "Queues[0].Properties.LockDuration: '30' is not an ISO 8601 duration"
    )]
    [InlineData("""{ "Name": "q", "Properties": { "LockDuration": 30 } }""", "Queues[0].Properties.LockDuration")]
    [InlineData(
        """{ "Name": "q", "Properties": { "MaxDeliveryCount": "many" } }""",
        "Queues[0].Properties.MaxDeliveryCount"
    )]
    [InlineData("""{ "Name": "ok" }, { "Properties": {} }""", "Queues[1].Name: is missing")]
    [InlineData("""{ "Name": "$bad" }""", "Queues[0]: '$bad' is not a valid queue or topic name")]
    [InlineData("""{ "Name": "twice" }, { "Name": "Twice" }""", "Queues[1].Name: 'Twice' is declared twice")]
    [InlineData("""{ "Subscriptions": [] }""", "Topics[0].Name: is missing")]
    [InlineData("""{ "Name": "t" }, { "Name": "T" }""", "Topics[1].Name: 'T' is declared twice")]
    [InlineData(
        """{ "Name": "t", "Subscriptions": [ { "Name": "a/b" } ] }""",
        "Topics[0].Subscriptions[0]: 'a/b' is not a valid subscription name"
    )]
    [InlineData(
        """{ "Name": "t", "Subscriptions": [ { "Name": "s", "Rules": [ { "Properties": {} } ] } ] }""",
        "Topics[0].Subscriptions[0].Rules[0].Name: is missing"
    )]
    [InlineData(
        """{ "Name": "t", "Subscriptions": [ { "Name": "s", "Rules": [ { "Name": "r", "Properties": { "FilterType": "Sql" } } ] } ] }""",
        "Topics[0].Subscriptions[0].Rules[0].Properties: FilterType must be"
    )]
    [InlineData(
        """
            { "Name": "t", "Subscriptions": [ {
                "Name": "s", "Rules": [ { "Name": "r", "Properties": { "SqlFilter": { "SqlExpression": "a" } } } ] } ] }
            """,
        "Topics[0].Subscriptions[0].Rules[0]: The filter of the rule is invalid. At position 2"
    )]
    public void Invalid_entity_is_rejected_with_its_path(string entities, string start) =>
        AssertRejected(start[0] == 'Q' ? Queues(entities) : Topics(entities), $"UserConfig.Namespaces[0].{start}");

    [Theory]
    [InlineData("{}", "UserConfig: is missing")]
    [InlineData("""{ "UserConfig": {} }""", "UserConfig.Namespaces: must contain exactly one namespace")]
    [InlineData(
        """{ "UserConfig": { "Namespaces": [ {}, {} ] } }""",
        "UserConfig.Namespaces: must contain exactly one namespace"
    )]
    [InlineData(
        """{ "UserConfig": { "Namespace": [] } }""",
        "UserConfig.Namespaces: must contain exactly one namespace"
    )]
    public void Invalid_file_is_rejected_with_the_path(string json, string start) => AssertRejected(json, start);

    [Fact]
    public void Unknown_properties_are_ignored_and_reported_by_path()
    {
        // The format in which Aspire writes rules, with filters of both types.
        var file = File(
            Topics(
                """
                {
                  "Name": "t", "Color": "red",
                  "Properties": { "MaxDeliverycounts": 3, "EnableExpress": false },
                  "Subscriptions": [ { "Name": "s", "Rules": [
                    { "Name": "sql", "Properties": {
                      "FilterType": "Sql",
                      "SqlFilter": { "SqlExpression": "a = 1", "CompatibilityLevel": 20, "RequiresPreprocessing": false },
                      "CorrelationFilter": {},
                      "Action": { "SqlExpression": "SET a = 2", "CompatibilityLevel": 20 } } },
                    { "Name": "correlation", "Properties": {
                      "FilterType": "Correlation",
                      "CorrelationFilter": { "Label": "red", "RequiresPreprocessing": true } } } ] } ]
                }
                """
            )
        );

        const string Topic = "UserConfig.Namespaces[0].Topics[0]";
        const string Rules = $"{Topic}.Subscriptions[0].Rules";
        Assert.Equal(
            [
                $"{Topic}.Color",
                $"{Rules}[0].Properties.SqlFilter.CompatibilityLevel",
                $"{Rules}[0].Properties.SqlFilter.RequiresPreprocessing",
                $"{Rules}[0].Properties.Action.CompatibilityLevel",
                $"{Rules}[1].Properties.CorrelationFilter.RequiresPreprocessing",
                $"{Topic}.Properties.MaxDeliverycounts",
                $"{Topic}.Properties.EnableExpress",
            ],
            file.Ignored
        );
        Assert.Equal(
            [("sql", "a = 1", ""), ("correlation", "", "red")],
            file.Entities[1].Rules!.Select(rule => (rule.Name, rule.Expression ?? "", rule.Correlation?.Label ?? ""))
        );
    }

    [Fact]
    public void Topics_are_read_with_their_subscriptions_and_rules()
    {
        var entities = Parse(
            Topics(
                """
                {
                  "Name": "topic.1",
                  "Properties": { "DefaultMessageTimeToLive": "PT1H", "RequiresDuplicateDetection": true },
                  "Subscriptions": [
                    { "Name": "all", "Properties": { "MaxDeliveryCount": 3, "RequiresSession": true } },
                    { "Name": "some", "Rules": [
                      { "Name": "urgent", "Properties": {
                        "FilterType": "Correlation", "CorrelationFilter": {
                          "Label": "urgent", "Properties": { "size": 5, "price": 1.5, "on": true, "color": "red" } } } },
                      { "Name": "large", "Properties": {
                        "FilterType": "Sql", "SqlFilter": { "SqlExpression": "size > 9" }, "Action": { "SqlExpression": "SET a = 1" } } } ] } ]
                }
                """
            )
        );

        Assert.Equal(
            [
                ("topic.1", EntityKind.Topic),
                ("topic.1/Subscriptions/all", EntityKind.Subscription),
                ("topic.1/Subscriptions/some", EntityKind.Subscription),
            ],
            entities.Select(entity => (entity.Name, entity.Kind))
        );
        Assert.Equal(
            (TimeSpan.FromHours(1), true),
            (entities[0].DefaultMessageTimeToLive, entities[0].RequiresDuplicateDetection)
        );
        Assert.Equal(
            (3, true, "$Default"),
            (entities[1].MaxDeliveryCount, entities[1].RequiresSession, entities[1].Rules![0].Name)
        );
        var (urgent, large) = (entities[2].Rules![0], entities[2].Rules![1]);
        Assert.Equal(("urgent", "urgent"), (urgent.Name, urgent.Correlation!.Label));
        Assert.Equal(
            [new RuleValue("long", "5"), new("double", "1.5"), new("boolean", "true"), new("string", "red")],
            urgent.Correlation.Properties!.Values
        );
        Assert.Equal((FilterKind.Sql, "size > 9", "SET a = 1"), (large.Filter, large.Expression, large.Action));
    }

    [Fact]
    public void Unreadable_file_is_rejected_with_line_or_option()
    {
        var broken = Assert.Throws<FormatException>(() => Parse("{\n  \"UserConfig\": {\n    oops\n"));
        Assert.Contains("line 3", broken.Message, StringComparison.Ordinal);

        var absent = Assert.Throws<BrokerStartException>(() => ConfigFile.Load("/no/such/Config.json"));
        Assert.Contains("ServiceBus:ConfigFile", absent.Message, StringComparison.Ordinal);
        Assert.Contains("/no/such/Config.json", absent.Message, StringComparison.Ordinal);
    }

    private static void AssertRejected(string json, string start) =>
        Assert.StartsWith(start, Assert.Throws<FormatException>(() => Parse(json)).Message, StringComparison.Ordinal);

    private static IReadOnlyList<QueueOptions> Parse(string json) => File(json).Entities;

    private static ConfigFile File(string json) => ConfigFile.Parse(Encoding.UTF8.GetBytes(json));

    private static string Topics(string topics) =>
        $$"""{ "UserConfig": { "Namespaces": [ { "Topics": [ {{topics}} ] } ] } }""";

    private static string Queues(string queues) =>
        $$"""{ "UserConfig": { "Namespaces": [ { "Name": "ns", "Queues": [ {{queues}} ] } ] } }""";

    private static IReadOnlyList<AccessRule> Rules(string declared) =>
        ConfigFile.Parse(Encoding.UTF8.GetBytes($$"""{ "UserConfig": { "Namespaces": [ {{declared}} ] } }""")).Rules;
}
