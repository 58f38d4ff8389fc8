namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>Operators and functions, with results computed manually.</summary>
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
    [InlineData("-(1s) + 2s - 4s", "timespan -00:00:03")]
    [InlineData("2.5 - 1 * 2.0", "real 0.5")]
    [InlineData("1.5h", "timespan 01:30:00")]
    [InlineData("7m % 2m", "timespan 00:01:00")]
    [InlineData("-7 / 2", "long -3")]
    [InlineData("7 - 2 - 1 + 8 / 4 / 2", "long 5")]
    [InlineData("9223372036854775807 + 1", "long -9223372036854775808")]
    [InlineData("datetime(9999-12-31) + 300d", "datetime ∅")]
    [InlineData("datetime(0001-01-01) - 1s", "datetime ∅")]
    // Unknown values
    [InlineData("bool(null) and false or bool(null) and true", "bool ∅")]
    [InlineData("bool(null) and false", "bool false")]
    [InlineData("true or bool(null) and false", "bool true")]
    [InlineData("bool(null) or false", "bool ∅")]
    [InlineData("long(null) == long(null)", "bool ∅")]
    [InlineData("long(null) == 1 or long(null) != 1 and 1 + 1 == 2", "bool true")]
    [InlineData("long(null) < 1", "bool ∅")]
    [InlineData("1 between (2 .. long(null))", "bool false")]
    [InlineData("3 !between (2 .. long(null))", "bool ∅")]
    [InlineData("max_of(long(null), 1)", "long 1")]
    // Comparisons
    [InlineData(
        "1 < 2 and not(2 < 2) and 2 <= 2 and not(3 <= 2) and 3 > 2 and not(2 > 2) and 2 >= 2 and not(1 >= 2)",
        "bool true"
    )]
    [InlineData(
        "1.5 < 2 and not(2.0 < 2) and 2.0 <= 2 and not(2.5 <= 2) and 2.5 > 2 and not(2.0 > 2) and 2.0 >= 2",
        "bool true"
    )]
    [InlineData(
        "'B' < 'a' and not('a' < 'a') and 'a' <= 'a' and not('b' <= 'a') and 'b' > 'a' and not('a' >= 'b')",
        "bool true"
    )]
    [InlineData("real(nan) < 1 or real(nan) >= 1 or real(nan) == real(nan)", "bool false")]
    [InlineData(
        "'Ab' !has_cs 'ab' and 'Ab' !contains_cs 'B' and 'Ab' !startswith_cs 'a' and 'Ab' !endswith_cs 'B'",
        "bool true"
    )]
    [InlineData(
        "'Ab' !has_cs 'Ab' or 'Ab' !contains_cs 'A' or 'Ab' !startswith_cs 'A' or 'Ab' !endswith_cs 'b'",
        "bool false"
    )]
    [InlineData(
        "'a' !~ 'A' or 'Ab' !has 'aB' or 'Ab' !contains 'B' or 'Ab' !startswith 'a' or 'Ab' !endswith 'B'",
        "bool false"
    )]
    [InlineData("1 == 1.0", "bool true")]
    [InlineData("'Abc' <> 'abc'", "bool true")]
    [InlineData("true == 'True' and 'false' == false and true != 'False' and true == 1", "bool true")]
    [InlineData("datetime(2030-01-01T00:01:01) between (todatetime('2030-01-01') .. 1m)", "bool false")]
    [InlineData("2.0 in (1, 2)", "bool true")]
    [InlineData("'b' in (dynamic([\"a\", \"b\"]))", "bool true")]
    [InlineData("2 in (dynamic([1, 2]))", "bool true")]
    [InlineData("int(null) in (1, 2)", "bool false")]
    [InlineData("true in ('True')", "bool true")]
    [InlineData("'' in (dynamic([null]))", "bool false")]
    [InlineData("true in (dynamic([])) or 'a' has_any (dynamic([]))", "bool false")]
    // String searches
    [InlineData(
        "'http://a.b/ | c' has 'http://a.b' and 'xhttp://a.b' !has 'http://a.b' and 'http://a.bx/' !has 'http://a.b'",
        "bool true"
    )]
    [InlineData("'redelivery delivery' has 'delivery'", "bool true")]
    [InlineData("'a1' has 'a'", "bool false")]
    [InlineData("'Timeout' has_any ('lock', 'time')", "bool false")]
    [InlineData("'a\\n\\t\\\\\\'\\u00e9\\x41'", "string a\n\t\\'éA")]
    [InlineData("\"it's\"", "string it's")]
    [InlineData("@'a\\b''c'", "string a\\b'c")]
    // Conversions
    [InlineData("tostring(datetime(2030-01-01))", "string 2030-01-01T00:00:00.0000000Z")]
    [InlineData("tostring(dynamic({\"a\":1}))", "string {\"a\":1}")]
    [InlineData("tostring(dynamic(\"a\\u00e9\"))", "string aé")]
    [InlineData("toint(3000000000)", "int ∅")]
    [InlineData("tolong('0x1f')", "long 31")]
    [InlineData("tolong(1e30)", "long ∅")]
    [InlineData("tolong(true) + tolong(-2.7)", "long -1")]
    [InlineData("todouble('')", "real ∅")]
    [InlineData("tobool('TRUE')", "bool true")]
    [InlineData("tobool('0')", "bool false")]
    [InlineData("tobool(2)", "bool true")]
    [InlineData("todatetime('2030-01-31T22:30:00.5+02:00')", "datetime 2030-01-31T20:30:00.5Z")]
    [InlineData("totimespan('90s')", "timespan 00:01:30")]
    // Strings and conditions
    [InlineData("strcat(1, '-', 2.5, true)", "string 1-2.5True")]
    [InlineData("strlen('häß')", "long 3")]
    [InlineData("tolower('ÄbC')", "string äbc")]
    [InlineData("extract(@'(\\w+)-(\\d+)', 2, 'abc-12', typeof(long))", "long 12")]
    [InlineData("isempty(' ')", "bool false")]
    [InlineData("isempty(int(null))", "bool true")]
    [InlineData("iff(true, 1, 2.5)", "real 1")]
    [InlineData("max_of(1s, 1m)", "timespan 00:01:00")]
    // Numbers
    [InlineData("bin(17, 0)", "long ∅")]
    [InlineData("round(-2.5)", "real -3")]
    // Dates and times
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
    // A string without a year would mean another moment each day.
    [InlineData("todatetime('12:30:00')", "datetime ∅")]
    [InlineData("todatetime('12 May 10:00')", "datetime ∅")]
    [InlineData("todatetime('Sat, 8 Nov 2014 15:05:02 GMT')", "datetime 2014-11-08T15:05:02Z")]
    [InlineData("todatetime('8 Nov 14 15:05')", "datetime 2014-11-08T15:05:00Z")]
    [InlineData("todatetime('Saturday, 08-Nov-14 15:05:02 GMT')", "datetime 2014-11-08T15:05:02Z")]
    [InlineData("todatetime('11/8/2014 15:05:02')", "datetime 2014-11-08T15:05:02Z")]
    [InlineData("todatetime('2014-11-08 15:05:02.5')", "datetime 2014-11-08T15:05:02.5Z")]
    [InlineData("todatetime('2014-11-08T15:05:02+01:00')", "datetime 2014-11-08T14:05:02Z")]
    [InlineData("todatetime('20141108')", "datetime 2014-11-08T00:00:00Z")]
    [InlineData("timespan(1.02:03:04)", "timespan 1.02:03:04")]
    [InlineData("time(2)", "timespan 2.00:00:00")]
    // Dynamic values
    [InlineData("dynamic({\"a\": {\"b\": [1, \"x\", null]}}).a.b[1]", "dynamic x")]
    [InlineData("dynamic({\"a\": {\"b\": [1, 2]}})[\"a\"][\"b\"][-1]", "dynamic 2")]
    [InlineData("dynamic({\"a.b\": 1})[\"a.b\"]", "dynamic 1")]
    [InlineData("parse_json('{\"a\": 0.7}').a + 1", "real 1.7")]
    [InlineData("-dynamic({\"a\": 0.7}).a", "real -0.7")]
    [InlineData("dynamic({\"a\": 5}).a > 4.5", "bool true")]
    [InlineData("dynamic({\"a\": 4.7}).a == 4", "bool false")]
    [InlineData("4 < dynamic({\"a\": 4.7}).a", "bool true")]
    [InlineData("dynamic({\"a\": 4.7}).a <= int(4)", "bool false")]
    [InlineData("dynamic({\"a\": 4.7}).a in (4, 5)", "bool false")]
    [InlineData("dynamic({\"a\": 4.7}).a between (4 .. 5)", "bool true")]
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
    public void Expression_has_its_type_and_value(string expression, string answer) =>
        Assert.Equal(answer, Answer.Value(expression, new DroneDelivery.Testing.ManualTimeProvider()));
}
