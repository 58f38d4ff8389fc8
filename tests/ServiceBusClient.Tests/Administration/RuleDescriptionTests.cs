using System.Globalization;
using System.Runtime.Serialization;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

public sealed class RuleDescriptionTests
{
    private static RuleFilter[] Filters =>
    [
        new TrueRuleFilter(),
        new FalseRuleFilter(),
        new SqlRuleFilter("size > @least") { Parameters = { ["@least"] = 5 } },
        new CorrelationRuleFilter("c")
        {
            MessageId = "m",
            To = "t",
            ReplyTo = "r",
            Subject = "s",
            SessionId = "i",
            ReplyToSessionId = "j",
            ContentType = "text/plain",
            ApplicationProperties = { ["colour"] = "red" },
        },
    ];

    [Fact]
    public void A_rule_is_read_as_it_was_written()
    {
        var action = new SqlRuleAction("SET size = @most") { Parameters = { ["@most"] = 7L } };

        Assert.All(Filters, filter =>
        {
            var read = Reread(new RuleProperties("mine") { Filter = filter, Action = action });

            Assert.Equal(filter, read.Filter);
            Assert.Equal(action, read.Action);
            Assert.Equal(filter.GetHashCode(), read.Filter.GetHashCode());
            Assert.Null(Reread(new RuleProperties("mine") { Filter = filter }).Action);
        });
    }

    [Fact]
    public void Values_have_every_type_that_a_rule_knows()
    {
        var filter = new CorrelationRuleFilter();
        object[] values =
        [
            "text", true, 5, 5_000_000_000, 1.5, 2.5m, Guid.NewGuid(), TimeSpan.FromMinutes(3),
            new DateTime(2030, 1, 2, 3, 4, 5, DateTimeKind.Utc),
        ];
        foreach (var (index, value) in values.Index())
            filter.ApplicationProperties[index.ToString(CultureInfo.InvariantCulture)] = value;

        var read = (CorrelationRuleFilter)Reread(new RuleProperties("mine") { Filter = filter }).Filter;

        Assert.Equal(values, values.Select((_, index) => read.ApplicationProperties[index.ToString(CultureInfo.InvariantCulture)]));
        filter.ApplicationProperties["bad"] = new object();
        var error = Assert.Throws<SerializationException>(() => Reread(new RuleProperties("mine") { Filter = filter }));
        Assert.Contains("'bad'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Filters_and_actions_are_equal_when_all_that_they_say_is_equal()
    {
        RuleFilter[] different =
        [
            new TrueRuleFilter(),
            new FalseRuleFilter(),
            new SqlRuleFilter("1=1"),
            new SqlRuleFilter("1=1") { Parameters = { ["@a"] = 1 } },
            new SqlRuleFilter("1=1") { Parameters = { ["@a"] = 2 } },
            new CorrelationRuleFilter(),
            new CorrelationRuleFilter("c"),
            new CorrelationRuleFilter { Subject = "c" },
            new CorrelationRuleFilter("c") { ApplicationProperties = { ["a"] = 1 } },
        ];

        foreach (var one in different)
            Assert.Equal(one, Assert.Single(different, other => one.Equals(other)));
        Assert.True(new SqlRuleFilter("a = 1") == new SqlRuleFilter("A = 1"));
        Assert.True(new SqlRuleAction("SET a = 1") != new SqlRuleAction("SET a = 2"));
        Assert.True(new CorrelationRuleFilter("c") != null && new TrueRuleFilter() == new TrueRuleFilter());
    }

    [Fact]
    public void A_rule_needs_a_name_a_filter_and_expressions_of_1_to_1024_characters()
    {
        Assert.Equal(("$Default", new TrueRuleFilter()), (new CreateRuleOptions().Name, new CreateRuleOptions().Filter));
        Assert.Equal("Name", Assert.Throws<ArgumentException>(() => new CreateRuleOptions(" ")).ParamName);
        Assert.Equal("Filter", Assert.Throws<ArgumentNullException>(() => new CreateRuleOptions("mine", null!)).ParamName);
        Assert.Throws<ArgumentException>(() => new SqlRuleFilter(" "));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SqlRuleFilter(new string('x', 1025)));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SqlRuleAction(new string('x', 1025)));
        Assert.Equal(1024, new SqlRuleFilter(new string('x', 1024)).SqlExpression.Length);
    }

    private static RuleProperties Reread(RuleProperties rule) =>
        Atom.Single(RuleDescription.Write(rule), RuleDescription.Root, (_, xml) => RuleDescription.Properties(rule.Name, xml))!;
}
