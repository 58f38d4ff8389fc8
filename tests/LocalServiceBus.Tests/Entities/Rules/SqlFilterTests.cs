using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Entities.Rules;

/// <summary>Results of SQL filters for <see cref="RuleMessages.Sample"/>.</summary>
public sealed class SqlFilterTests
{
    [Theory]
    [InlineData("1=1", true)]
    [InlineData("COLOR = 'blue'", true)]
    [InlineData("color = 'Blue'", false)]
    [InlineData("color <> 'red'", true)]
    [InlineData("color != 'blue'", false)]
    [InlineData("user.color = 'blue'", true)]
    [InlineData("sys.label = 'red'", true)]
    [InlineData("sys.Subject = 'red'", true)]
    [InlineData("SYS.MessageId = 'm-1'", true)]
    [InlineData("sys.CorrelationId = '17'", true)]
    [InlineData("sys.To = 'there' AND sys.ContentType = 'text/plain'", true)]
    [InlineData("sys.ReplyTo IS NULL", true)]
    [InlineData("quantity = 100", true)]
    [InlineData("quantity = 100.0", true)]
    [InlineData("quantity > 99 AND quantity < 101", true)]
    [InlineData("quantity >= 100 AND quantity <= 100", true)]
    [InlineData("quantity > 100", false)]
    [InlineData("small = 3", true)]
    [InlineData("big > 9223372036854775807", true)]
    [InlineData("on = TRUE AND off = false", true)]
    [InlineData("at = at", true)]
    [InlineData("id = newid()", false)]
    [InlineData("color > 'azure' AND color > 'RED'", true)]
    [InlineData("color = 5", false)]
    [InlineData("color <> 5", true)]
    [InlineData("p('COL' + 'or') = 'blue'", true)]
    [InlineData("p('absent') IS NULL", true)]
    [InlineData("p([absent]) IS NULL", true)]
    [InlineData("p(color) IS NULL", true)]
    [InlineData("'it''s' = 'it''s'", true)]
    public void Comparisons(string filter, bool expected) => AssertResult(filter, expected);

    [Theory]
    [InlineData("quantity - 1 - 1 = 98", true)]
    [InlineData("2 + 3 * 4 = 14", true)]
    [InlineData("(2 + 3) * 4 = 20", true)]
    [InlineData("7 / 2 = 3", true)]
    [InlineData("7.0 / 2 = 3.5", true)]
    [InlineData("-quantity = -100", true)]
    [InlineData("- - 1 = 1", true)]
    [InlineData("+1 = 1", true)]
    [InlineData("1e3 = 1000 AND .5 = 0.5", true)]
    [InlineData("'a' + 'b' = 'ab'", true)]
    [InlineData("big - 1 < big", true)]
    [InlineData("missing + 1 = 1", null)]
    [InlineData("-9223372036854775808 < -9223372036854775807", true)]
    [InlineData("1e308 * 10 - 1e308 * 10 = 1e308 * 10 - 1e308 * 10", false)] // NaN isn't equal to NaN.
    [InlineData("1e308 * 10 - 1e308 * 10 <> 1", true)]
    [InlineData("1e308 * 10 - 1e308 * 10 < 1", false)]
    [InlineData("1e308 * 10 - 1e308 * 10 >= 1", false)]
    public void Arithmetic(string filter, bool? expected) => AssertResult(filter, expected);

    [Theory]
    [InlineData("span = @minute", true)]
    [InlineData("span < @minute", false)]
    [InlineData("sys.TimeToLive > span", true)]
    [InlineData("at >= @noon AND at = @noon", true)]
    [InlineData("sys.ExpiresAtUtc > at", true)]
    [InlineData("sys.DeadLetterSource IS NULL AND sys.ScheduledEnqueueTimeUtc IS NULL", true)]
    [InlineData("link = 'sb://host/orders'", true)]
    public void Described_types_of_SDKs_are_compared(string filter, bool expected)
    {
        var content = RuleMessages.Content(
            new MessageProperties(),
            ("span", new DescribedValue((Symbol)"com.microsoft:timespan", TimeSpan.TicksPerMinute)),
            ("at", new DescribedValue((Symbol)"com.microsoft:datetime-offset", RuleMessages.Noon.UtcTicks)),
            ("link", new DescribedValue((Symbol)"com.microsoft:uri", "sb://host/orders"))
        );
        var message = new RuleMessage(
            new QueuedMessage(content with { TimeToLive = TimeSpan.FromHours(1) }, RuleMessages.Noon)
        );
        var parameters = new Dictionary<string, object?>
        {
            ["@minute"] = TimeSpan.FromMinutes(1),
            ["@noon"] = RuleMessages.Noon,
        };

        Assert.Equal(expected, SqlParser.Filter(filter, parameters)(message));
    }

    [Theory]
    [InlineData("missing = 1", null)]
    [InlineData("missing <> 1", null)]
    [InlineData("NOT missing = 1", null)]
    [InlineData("missing > 1", null)]
    [InlineData("missing = 1 OR color = 'blue'", true)]
    [InlineData("missing = 1 AND color = 'blue'", null)]
    [InlineData("missing = 1 AND color = 'red'", false)]
    [InlineData("missing IS NOT NULL", false)]
    [InlineData("nothing IS NULL", true)]
    [InlineData("EXISTS (missing)", false)]
    [InlineData("EXISTS(nothing)", true)]
    [InlineData("NOT EXISTS(missing)", true)]
    [InlineData("EXISTS(sys.To) AND NOT EXISTS(sys.ReplyTo)", true)]
    [InlineData("NULL = NULL", null)]
    public void Missing_property_evaluates_to_unknown(string filter, bool? expected) => AssertResult(filter, expected);

    [Theory]
    [InlineData("color IN ('red', 'blue')", true)]
    [InlineData("color NOT IN ('red', 'blue')", false)]
    [InlineData("color IN ('red')", false)]
    [InlineData("color IN ('red', missing)", null)]
    [InlineData("color IN ('blue', missing)", true)]
    [InlineData("missing IN ('red')", null)]
    [InlineData("quantity IN (1, 50 + 50)", true)]
    public void Lists(string filter, bool? expected) => AssertResult(filter, expected);

    [Theory]
    [InlineData("color LIKE 'b%'", true)]
    [InlineData("color LIKE '%'", true)]
    [InlineData("color LIKE 'b__e'", true)]
    [InlineData("color LIKE 'b_e'", false)]
    [InlineData("color LIKE '%l%e'", true)]
    [InlineData("color LIKE 'blue%'", true)]
    [InlineData("color LIKE 'blu'", false)]
    [InlineData("color LIKE ''", false)]
    [InlineData("'' LIKE ''", true)]
    [InlineData("'aXbXb' LIKE '%Xb'", true)]
    [InlineData("color NOT LIKE 'r%'", true)]
    [InlineData("path LIKE 'a\\_b\\%c' ESCAPE '\\'", true)]
    [InlineData("'aXbYc' LIKE 'a\\_b\\%c' ESCAPE '\\'", false)]
    [InlineData("missing LIKE 'b%'", null)]
    public void Patterns(string filter, bool? expected) => AssertResult(filter, expected);

    [Theory]
    [InlineData("(color = 'red' OR color = 'blue') AND quantity = 1", false)]
    [InlineData("NOT color = 'red' AND quantity = 100", true)]
    [InlineData("NOT (color = 'blue' AND quantity = 100)", false)]
    [InlineData("NOT NOT color = 'blue'", true)]
    [InlineData("(quantity) = 100", true)]
    [InlineData("(quantity + 1) * 2 = 202 AND (color) IS NOT NULL", true)]
    [InlineData("(color) LIKE 'b%' AND (color) NOT IN ('x')", true)]
    [InlineData("color='blue'and quantity=100", true)]
    public void Precedence(string filter, bool expected) => AssertResult(filter, expected);

    [Theory]
    [InlineData("color > 5", "Cannot compare")]
    [InlineData("on > off", "Cannot compare")]
    [InlineData("color * 2 = 4", "a string")]
    [InlineData("quantity / 0 = 1", "zero")]
    [InlineData("9223372036854775807 + quantity = 1", "overflow")]
    [InlineData("quantity LIKE '1%'", "LIKE")]
    public void Expression_with_incompatible_types_fails(string filter, string named)
    {
        var parsed = SqlParser.Filter(filter);
        var error = Assert.Throws<FilterException>(() => parsed(RuleMessages.Sample()));

        Assert.Contains(named, error.Message, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData("", 1, "a value")]
    [InlineData("color", 6, "a comparison")]
    [InlineData("color =", 8, "a value")]
    [InlineData("color = 'blue", 9, "closing")]
    [InlineData("[color = 1", 1, "closing")]
    [InlineData("color = 'a' 'b'", 13, "the end")]
    [InlineData("color == 1", 8, "a value")]
    [InlineData("(color = 1", 11, ")")]
    [InlineData("color = 1)", 10, "the end")]
    [InlineData("color IN 1", 10, "(")]
    [InlineData("color IN ()", 11, "a value")]
    [InlineData("color NOT 1", 11, "IN or LIKE")]
    [InlineData("color IS 1", 10, "NULL")]
    [InlineData("color LIKE 'a' ESCAPE 'ab'", 23, "one character")]
    [InlineData("color = 1 AND", 14, "a value")]
    [InlineData("AND = 1", 1, "a value")]
    [InlineData("sys.Colour = 1", 5, "unknown property sys.Colour")]
    [InlineData("her.color = 1", 1, "expected the prefix sys or user")]
    [InlineData("color ~ 1", 7, "'~'")]
    [InlineData("99999999999999999999 = 1", 1, "not a number")]
    [InlineData("color = @x", 9, "no value for the parameter @x")]
    [InlineData("EXISTS(1)", 8, "a value or a property name")]
    public void Syntax_error_reports_position_and_reason(string filter, int position, string why)
    {
        var error = Assert.Throws<SqlException>(() => SqlParser.Filter(filter));

        Assert.Equal(position, error.Position);
        Assert.Contains($"position {position}:", error.Message, StringComparison.Ordinal);
        Assert.Contains(why, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Filter_length_and_depth_are_limited()
    {
        var longest = $"color = '{new string('x', SqlParser.MaxLength - 10)}'";
        SqlParser.Filter(longest);
        Assert.Contains(
            "1024",
            Assert.Throws<SqlException>(() => SqlParser.Filter(longest + " ")).Message,
            StringComparison.Ordinal
        );
        foreach (var deep in (string[])["(", "NOT ", "-", "(-"])
        {
            var filter = string.Concat(Enumerable.Repeat(deep, 100)) + "1 = 1";
            Assert.Contains(
                "levels",
                Assert.Throws<SqlException>(() => SqlParser.Filter(filter)).Message,
                StringComparison.Ordinal
            );
        }
    }

    [Fact]
    public void Pattern_with_many_wildcards_is_matched_in_linear_time()
    {
        var filter = SqlParser.Filter($"x LIKE '{string.Concat(Enumerable.Repeat("%a", 400))}b'");
        var message = RuleMessages.Message(new(), ("x", new string('a', 60_000)));

        Assert.False(filter(message));
    }

    [Fact]
    public void Random_text_parses_or_reports_a_position()
    {
        string[] words =
        [
            "color",
            "=",
            "'a'",
            "(",
            ")",
            "AND",
            "OR",
            "NOT",
            "IN",
            "LIKE",
            "IS",
            "NULL",
            "1",
            "+",
            ",",
            "sys",
            ".",
            "To",
            "@p",
            "[",
        ];
        var random = new Random(17);
        for (var i = 0; i < 20_000; i++)
        {
            var text = string.Join(
                ' ',
                Enumerable.Range(0, random.Next(1, 12)).Select(_ => words[random.Next(words.Length)])
            );
            try
            {
                SqlParser.Filter(text)(RuleMessages.Sample());
            }
            catch (SqlException error)
            {
                Assert.InRange(error.Position, 1, text.Length + 1);
            }
            catch (FilterException)
            {
                // The filter does not fit this message.
            }
        }
    }

    private static void AssertResult(string filter, bool? expected) =>
        Assert.Equal(expected, SqlParser.Filter(filter)(RuleMessages.Sample()));
}
