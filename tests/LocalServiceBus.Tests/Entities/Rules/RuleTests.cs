using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Entities.Rules;

public sealed class RuleTests
{
    [Fact]
    public void Rule_rejects_characters_that_XML_cannot_represent()
    {
        const string odd = "\u0001";
        RuleDescription[] rules =
        [
            new("r")
            {
                Filter = FilterKind.Correlation,
                Correlation = new() { Label = odd },
            },
            new("r")
            {
                Filter = FilterKind.Correlation,
                Correlation = new() { Properties = Values((odd, 1L)) },
            },
            new("r")
            {
                Filter = FilterKind.Correlation,
                Correlation = new() { Properties = Values(("a", odd)) },
            },
            new("r") { Filter = FilterKind.Sql, Expression = $"a = '{odd}'" },
            new("r")
            {
                Filter = FilterKind.Sql,
                Expression = "a = @b",
                Parameters = Values(("@b", odd)),
            },
            new("r") { Action = $"SET a = '{odd}'" },
            new("r") { Action = "SET a = @b", ActionParameters = Values(("@b", "\ud800")) },
        ];

        Assert.All(rules, rule =>
            Assert.Equal(EntityFailure.InvalidOption, Assert.Throws<EntityException>(() => new Rule(rule)).Failure)
        );
    }

    [Fact]
    public void Action_sets_and_removes_properties_in_order()
    {
        var changed = Apply(
            "SET quantity = quantity / 2; SET half = quantity + 1; REMOVE color; SET sys.Label = 'new'; SET sys.To = sys.MessageId;"
                + " SET [two words] = NULL, SET user.fresh = TRUE"
        );

        var properties = changed.ApplicationProperties!;
        Assert.Equal((50L, 51L, true), (properties["quantity"], properties["half"], properties["fresh"]));
        Assert.False(properties.ContainsKey("color") || properties.ContainsKey("two words"));
        Assert.Equal(
            ("new", "m-1", "m-1"),
            (changed.Properties!.Subject, changed.Properties.To, changed.Properties.MessageId)
        );
        Assert.Equal("body", System.Text.Encoding.UTF8.GetString(changed.Data![0].Span));
        Assert.Equal(9.5, properties["price"]);
    }

    [Fact]
    public void Duration_is_set_as_the_described_type_of_SDKs()
    {
        var rule = new RuleDescription("r")
        {
            Action = "SET a = @minute",
            ActionParameters = Values(("@minute", TimeSpan.FromMinutes(1))),
        };
        var changed = AmqpMessage.Decode(new Rule(rule).Apply(RuleMessages.Sample()).Body);

        Assert.Equal(
            new DescribedValue((Symbol)"com.microsoft:timespan", TimeSpan.TicksPerMinute),
            changed.ApplicationProperties!["a"]
        );
        Assert.Equal(
            ("duration", "PT1M"),
            (rule.ActionParameters!["@minute"].Type, rule.ActionParameters["@minute"].Text)
        );
    }

    [Fact]
    public void Action_can_remove_all_properties_except_the_rule_name()
    {
        var message = RuleMessages.Message(new MessageProperties { MessageId = "1" }, ("a", 1));
        var content = new Rule(new RuleDescription("r") { Action = "REMOVE a" }).Apply(message);

        Assert.Equal("RuleName", Assert.Single(AmqpMessage.Decode(content.Body).ApplicationProperties!).Key);
    }

    [Theory]
    [InlineData("SET sys.SequenceNumber = 1", 5)]
    [InlineData("REMOVE sys.To", 8)]
    [InlineData("SET color", 10)]
    [InlineData("DROP color", 1)]
    [InlineData("SET color = 1 = 1", 15)]
    public void Invalid_action_is_rejected_with_the_position(string action, int position) =>
        Assert.Equal(position, Assert.Throws<SqlException>(() => SqlParser.Action(action)).Position);

    [Theory]
    [InlineData("SET color = color * 2")]
    [InlineData("SET sys.ContentType = 'ä'")]
    public void Action_that_does_not_fit_the_message_fails(string action) =>
        Assert.Throws<FilterException>(() => Apply(action));

    [Fact]
    public void Invalid_rule_is_rejected_with_the_reason()
    {
        Refused("is not a valid rule name", new RuleDescription("a b"));
        Refused("is not a valid rule name", new RuleDescription("a/b"));
        Refused("is not a valid rule name", new RuleDescription(new string('x', 51)));
        Refused("at least one", new RuleDescription("r") { Filter = FilterKind.Correlation, Correlation = new() });
        Refused("filter of the rule is invalid. At position 1:", new RuleDescription("r") { Filter = FilterKind.Sql });
        Refused("action of the rule is invalid. At position 1:", new RuleDescription("r") { Action = "x" });
        Refused(
            "is not a valid type",
            new RuleDescription("r")
            {
                Filter = FilterKind.Correlation,
                Correlation = new() { Properties = new Dictionary<string, RuleValue> { ["a"] = new("color", "red") } },
            }
        );
        Assert.False(new Rule(new RuleDescription(new string('x', 50))).NeedsMessage);
        Assert.False(new Rule(new RuleDescription("$default")).NeedsMessage);
        Assert.False(new Rule(new RuleDescription("-r~")).NeedsMessage);
        Assert.False(new Rule(new RuleDescription("r") { Filter = FilterKind.Sql, Expression = "1=1" }).NeedsMessage);
        Assert.True(new Rule(new RuleDescription("r") { Filter = FilterKind.Sql, Expression = "1=2" }).NeedsMessage);

        static void Refused(string named, RuleDescription rule)
        {
            var refusal = Assert.Throws<EntityException>(() => new Rule(rule));
            Assert.Equal(EntityFailure.InvalidOption, refusal.Failure);
            Assert.Contains(named, refusal.Message, StringComparison.Ordinal);
        }
    }

    private static AmqpMessage Apply(string action) =>
        AmqpMessage.Decode(new Rule(new RuleDescription("r") { Action = action }).Apply(RuleMessages.Sample()).Body);

    private static Dictionary<string, RuleValue> Values(params (string Name, object Value)[] values) =>
        values.ToDictionary(one => one.Name, one => RuleValue.Of(one.Value));
}
