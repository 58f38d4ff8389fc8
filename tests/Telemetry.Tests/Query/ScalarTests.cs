namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>Operators and functions, each with answers worked out by hand.</summary>
public sealed class ScalarTests
{
    [Theory]
    // Arithmetic
    [InlineData("-7.5 % 2", "real 0.5")]
    [InlineData("- 2 + - - 3", "long 1")]
    [InlineData("int(3) + int(4)", "long 7")]
    [InlineData("1.5e2 + 0x10", "real 166")]
    [InlineData("0.5 * 1m", "timespan 00:00:30")]
    [InlineData("100ms", "timespan 00:00:00.1000000")]
    [InlineData("1.5h", "timespan 01:30:00")]
    [InlineData("7m % 2m", "timespan 00:01:00")]
    [InlineData("datetime(9999-12-31) + 300d", "datetime ∅")]
    [InlineData("datetime(0001-01-01) - 1s", "datetime ∅")]
    // Comparisons
    [InlineData("1 == 1.0", "bool true")]
    [InlineData("'Abc' <> 'abc'", "bool true")]
    [InlineData("true == 'True' and 'false' == false and true != 'False' and true == 1", "bool true")]
    [InlineData("datetime(2030-01-01T00:01:01) between (todatetime('2030-01-01') .. 1m)", "bool false")]
    [InlineData("2.0 in (1, 2)", "bool true")]
    [InlineData("'b' in (dynamic([\"a\", \"b\"]))", "bool true")]
    [InlineData("2 in (dynamic([1, 2]))", "bool true")]
    [InlineData("int(null) in (1, 2)", "bool false")]
    [InlineData("true in ('True')", "bool true")]
    // Texts in texts
    [InlineData("'xhttps://a.b' has 'https://a.b'", "bool false")]
    [InlineData("'redelivery delivery' has 'delivery'", "bool true")]
    [InlineData("'a1' has 'a'", "bool false")]
    [InlineData("'Timeout' has_any ('lock', 'time')", "bool false")]
    // Conversions
    [InlineData("tostring(2.5)", "string 2.5")]
    [InlineData("tostring(datetime(2030-01-01))", "string 2030-01-01T00:00:00.0000000Z")]
    [InlineData("tostring(dynamic({\"a\":1}))", "string {\"a\":1}")]
    [InlineData("tostring(dynamic(\"a\\u00e9\"))", "string aé")]
    [InlineData("toint('42')", "int 42")]
    [InlineData("toint(3000000000)", "int ∅")]
    [InlineData("tolong('0x1f')", "long 31")]
    [InlineData("todouble('')", "real ∅")]
    [InlineData("tobool('TRUE')", "bool true")]
    [InlineData("tobool('0')", "bool false")]
    [InlineData("tobool(2)", "bool true")]
    [InlineData("todatetime('2030-01-31T22:30:00.5+02:00')", "datetime 2030-01-31T20:30:00.5Z")]
    [InlineData("totimespan('90s')", "timespan 00:01:30")]
    // Texts and choices
    [InlineData("strcat('a', 1, '-', 2.5, true)", "string a1-2.5True")]
    [InlineData("strlen('häß')", "long 3")]
    [InlineData("tolower('ÄbC')", "string äbc")]
    [InlineData("extract(@'(\\w+)-(\\d+)', 2, 'abc-12', typeof(long))", "long 12")]
    [InlineData("split('a,b', ',')[1]", "dynamic b")]
    [InlineData("isempty(' ')", "bool false")]
    [InlineData("isempty(int(null))", "bool true")]
    [InlineData("iff(true, 1, 2.5)", "real 1")]
    [InlineData("max_of(1s, 1m)", "timespan 00:01:00")]
    // Numbers
    [InlineData("bin(4.7, 0.5)", "real 4.5")]
    [InlineData("bin(17, 0)", "long ∅")]
    [InlineData("floor(7, 2)", "long 6")]
    [InlineData("round(-2.5)", "real -3")]
    [InlineData("isfinite(1.0 / 0.0)", "bool false")]
    // Times
    [InlineData("now()", "datetime 2030-01-01T00:00:00Z")]
    [InlineData("now(-1d)", "datetime 2029-12-31T00:00:00Z")]
    [InlineData("ago(90m)", "datetime 2029-12-31T22:30:00Z")]
    [InlineData("format_datetime(datetime(2030-01-02T15:04:05), 'h:mm tt')", "string 3:04 PM")]
    [InlineData("format_datetime(datetime(2030-01-02), 'd')", "string 2")]
    [InlineData("format_datetime(datetime(2030-01-02), 'x')", "string ")]
    [InlineData("datetime_diff('year', datetime(2029-12-31), datetime(2029-01-01))", "long 0")]
    [InlineData("datetime_diff('quarter', datetime(2029-04-01), datetime(2029-03-31))", "long 1")]
    [InlineData("datetime_diff('week', datetime(2030-01-06), datetime(2030-01-05))", "long 1")]
    [InlineData("datetime(\"2020-07-31T22:30:00.000Z\")", "datetime 2020-07-31T22:30:00Z")]
    [InlineData("datetime(2030-01)", "datetime 2030-01-01T00:00:00Z")]
    [InlineData("timespan(1.02:03:04)", "timespan 1.02:03:04")]
    [InlineData("time(2)", "timespan 2.00:00:00")]
    // Dynamic values
    [InlineData("dynamic({\"a\": {\"b\": [1, \"x\", null]}}).a.b[1]", "dynamic x")]
    [InlineData("dynamic({\"a\": {\"b\": [1, 2]}})[\"a\"][\"b\"][-1]", "dynamic 2")]
    [InlineData("dynamic({\"a.b\": 1})[\"a.b\"]", "dynamic 1")]
    [InlineData("parse_json('{\"a\": 5}').a + 1", "real 6")]
    [InlineData("parse_json('{\"a\": 0.7}').a + 1", "real 1.7")]
    [InlineData("-dynamic({\"a\": 0.7}).a", "real -0.7")]
    [InlineData("todynamic('not json')", "dynamic not json")]
    [InlineData("dynamic({\"a\": 5}).a > 4.5", "bool true")]
    [InlineData("dynamic({\"a\": \"5\"}).a == '5'", "bool true")]
    [InlineData("dynamic({\"a\": 0.7}).a > 0", "bool true")]
    [InlineData("dynamic({\"a\": 4.7}).a == 4", "bool false")]
    [InlineData("4 < dynamic({\"a\": 4.7}).a", "bool true")]
    [InlineData("dynamic({\"a\": 4.7}).a <= int(4)", "bool false")]
    [InlineData("dynamic({\"a\": 4.7}).a in (4, 5)", "bool false")]
    [InlineData("dynamic({\"a\": 4.7}).a between (4 .. 5)", "bool true")]
    [InlineData("dynamic({\"a\": 5}).a == 5", "bool true")]
    [InlineData("dynamic({\"a\": true}).a == true", "bool true")]
    [InlineData("dynamic({\"a\": 1}).a == true", "bool true")]
    [InlineData("dynamic({\"a\": \"5\"}).a == tostring(dynamic(\"5\"))", "bool true")]
    [InlineData("dynamic({\"a\": \"x 5\"}).a has dynamic(\"X\")", "bool true")]
    [InlineData("dynamic({\"a\": \"5\"}).a in ('4', '5')", "bool true")]
    [InlineData("dynamic({\"a\": \"Lock lost\"}).a has 'lock'", "bool true")]
    [InlineData("todouble(dynamic({\"a\": \"2.5\"}).a) * 2", "real 5")]
    [InlineData("iff(dynamic({\"a\": true}).a, 1, 2)", "long 1")]
    [InlineData("iff(true, dynamic({\"a\": 4.7}).a, 0)", "real 4.7")]
    [InlineData("coalesce(dynamic({\"a\": 4.7}).a, 0)", "real 4.7")]
    [InlineData("max_of(int(4), dynamic({\"a\": 4.7}).a)", "real 4.7")]
    [InlineData("bin(dynamic({\"a\": 4.7}).a, 2)", "real 4")]
    [InlineData("substring('abcd', dynamic(2))", "string cd")]
    [InlineData("isempty(dynamic({\"a\": 1}).b)", "bool true")]
    [InlineData("coalesce(dynamic({\"a\": 1}).b, dynamic(2))", "dynamic 2")]
    public void An_expression_has_its_type_and_value(string expression, string answer) =>
        Assert.Equal(answer, Answer.Value(expression, new DroneDelivery.Testing.ManualTimeProvider()));

    [Theory]
    [InlineData("'it''s'", null)]
    [InlineData("'a\\n\\t\\\\\\'\\u00e9\\x41'", "a\n\t\\'éA")]
    [InlineData("\"it's\"", "it's")]
    [InlineData("@'a\\b''c'", "a\\b'c")]
    public void Text_literals(string literal, string? value)
    {
        if (value is null)
            Assert.Throws<DroneDelivery.Telemetry.Query.KqlException>(() => Answer.Value(literal));
        else
            Assert.Equal("string " + value, Answer.Value(literal));
    }
}
