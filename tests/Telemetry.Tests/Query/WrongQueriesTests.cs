namespace DroneDelivery.Telemetry.Tests.Query;

public sealed class WrongQueriesTests
{
    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table(
            "calls",
            "timestamp:datetime, target:string, duration:real, success:bool, n:int, tags:dynamic",
            ["2030-01-01", "package", 1.0, true, 1, "{}"]
        ),
        Answer.Table("owners", "target:string, owner:string, n:string", ["package", "ann", "7"])
    );

    [Theory]
    // Tokens and characters
    [InlineData("", 1, 1, "a query was expected", "requests | take 10")]
    [InlineData("   \n  // nothing", 2, 13, "a query was expected", "For example")]
    [InlineData("calls | where target == 'package", 1, 25, "is not closed on its line", "Close it with '")]
    [InlineData("print 'it''s'", 1, 11, "'|' or the end of the query was expected", null)]
    [InlineData("calls | where target == 'a\\qb'", 1, 27, "'\\q' is not an escape", "\\\\")]
    [InlineData("calls | where target == '\\u00g1'", 1, 26, "4 hexadecimal digits", "\\u00e9")]
    [InlineData("calls | where duration > 5x3", 1, 27, "'x3' is not a unit of time", "Units: ")]
    [InlineData("calls | where n > 99999999999999999999", 1, 19, "is out of range for a long", "real")]
    [InlineData("calls | where timestamp > ago(99999999999d)", 1, 31, "exceeds the longest timespan", "10675199d")]
    [InlineData("calls | where success && n > 1", 1, 23, "'&' is not valid", "Write 'and'")]
    [InlineData("calls | where success || n > 1", 1, 23, "'||' is not an operator", "Write 'or'")]
    [InlineData("calls | where !success", 1, 15, "'!success' is not an operator", "not(")]
    [InlineData("calls | where ! success", 1, 15, "'!' is not valid", "not(")]
    [InlineData("calls | where target == ‘package’", 1, 25, "is not valid", "Strings are quoted with '")]
    [InlineData("calls | where n ? 1", 1, 17, "'?' is not valid", "Remove")]
    [InlineData(
        "calls | where timestamp > datetime(2030-13-01)",
        1,
        27,
        "'2030-13-01' is not a datetime",
        "For example: datetime("
    )]
    [InlineData("calls | where timestamp > datetime(2030-01-01", 1, 35, "is not closed", "Add ')'")]
    [InlineData("print dynamic([1 2])", 1, 7, "is not a dynamic", "For example: dynamic(")]
    [InlineData("calls | project ['n", 1, 18, "is not closed", "Close it")]
    [InlineData("calls | project ['n' + 1", 1, 21, "']' was expected", "['like this']")]
    [InlineData("calls | where target !like 'a'", 1, 22, "'!like' is not an operator", "not(")]
    // Grammar
    [InlineData("calls where n > 1", 1, 7, "'|' or the end of the query was expected, not 'where'", "| where")]
    [InlineData("calls |", 1, 8, "an operator after '|' was expected", "where success")]
    [InlineData("calls | wher n > 1", 1, 9, "'wher' is not an operator", "Did you mean 'where'?")]
    [InlineData("calls | select target", 1, 9, "'select' is not an operator", "Operators: ")]
    [InlineData("calls | print x = 1", 1, 9, "'print' starts a query and cannot follow '|'", "extend")]
    [InlineData("calls | mv-expand tags", 1, 9, "'mv-expand' is not supported", "Supported: ")]
    [InlineData("calls | where n >", 1, 18, "a value was expected", "is incomplete")]
    [InlineData("calls | where n > | take 1", 1, 19, "a value was expected, not '|'", "missing before the pipe")]
    [InlineData("calls | where n = 1", 1, 17, "'=' is not a comparison", "'=='")]
    [InlineData("calls | where n == 1 == 2", 1, 22, "follows another comparison", "'and'")]
    [InlineData("calls | where n > 1)", 1, 20, "not ')'", "no matching '('")]
    [InlineData("calls | where n in 1, 2", 1, 20, "'(' after 'in' was expected", "in ('a', 'b')")]
    [InlineData("calls | where n between (1, 5)", 1, 27, "'..' between the two limits", "between (10 .. 20)")]
    [InlineData("calls | join kind=inner owners", 1, 31, "'on' after the table to join", "on operation_Id")]
    [InlineData("calls | render pie", 1, 16, "'pie' is not a kind of chart", "Kinds: ")]
    [InlineData("calls | render timechart | take 1", 1, 9, "the last step of a query", "to the end")]
    [InlineData("let x = 5;", 1, 11, "a query was expected", "not used")]
    [InlineData("let f = () { 1 }; calls", 1, 9, "function declarations are not supported", "values and for queries")]
    [InlineData("let x 5; calls", 1, 7, "'=' after 'let x'", null)]
    [InlineData("x = calls | take 1", 1, 3, "not '='", "let NAME")]
    [InlineData("calls; owners", 1, 8, "'|' or the end", "statements by ';'")]
    [InlineData("search 'a'", 1, 1, "'search' is not supported", "name of a table")]
    [InlineData("datatable(a:long) [1, 'x']", 1, 23, "a value of a must be of type long", null)]
    [InlineData("datatable(a:long, b:long) [1]", 1, 1, "1 values do not fill rows of 2 columns", null)]
    [InlineData("datatable(a:text) ['x']", 1, 13, "'text' is not a type", null)]
    [InlineData(
        "range n from 1 to 10 step 0",
        1,
        1,
        "the values of a range of long must have matching types, and the step must not be 0",
        "step 1"
    )]
    [InlineData(
        "range t from datetime(2030-01-01) to 5 step 1d",
        1,
        38,
        "the last value must be of type datetime",
        null
    )]
    [InlineData("count(calls)", 1, 1, "is not a table", "name of a table")]
    [InlineData("5 | take 1", 1, 1, "a table was expected", "name of a table")]
    [InlineData("union kind=left calls, owners", 1, 1, "no kind 'left'", "kind=inner or kind=outer")]
    // Names that Azure rejects
    [InlineData("let first = 5; calls", 1, 5, "'first' is a reserved word", "['first']")]
    [InlineData("calls | project title", 1, 17, "'title' is a reserved word", "['title']")]
    [InlineData("calls | where tags.last == 'a'", 1, 20, "'last' is a reserved word", "['last']")]
    [InlineData("calls | extend größe = 1", 1, 18, "'ö' is not valid", "['größe']")]
    // Names and types
    [InlineData("call | take 1", 1, 1, "no table 'call'", "Did you mean 'calls'?")]
    [InlineData("calls\n| where targt == 'a'", 2, 9, "no column 'targt'", "Did you mean 'target'?")]
    [InlineData("calls | project zzz", 1, 17, "no column 'zzz'", "Available: timestamp")]
    [InlineData("calls | project owners", 1, 17, "'owners' is a table", "toscalar")]
    [InlineData("calls | project-away x*", 1, 22, "no column 'x*'", "Available: ")]
    [InlineData("calls | project-rename n = target", 1, 24, "column 'n' already exists", "another name")]
    [InlineData("calls | project a = n, a = target", 1, 24, "'a' is defined twice", "another name")]
    [InlineData("calls | project tolowr(target)", 1, 17, "no function 'tolowr'", "Did you mean 'tolower'?")]
    [InlineData("calls | where count() > 1", 1, 15, "'count' is an aggregate", "summarize")]
    [InlineData("calls | summarize duration", 1, 19, "'duration' must be inside an aggregate", "take_any(duration)")]
    [InlineData("calls | summarize 5", 1, 19, "needs an aggregate", "count()")]
    [InlineData("calls | summarize sum(avg(n))", 1, 23, "cannot be nested", "Summarize twice")]
    [InlineData("calls | summarize sum(target)", 1, 19, "'sum' cannot be applied to string", "todouble")]
    [InlineData("calls | summarize count(n)", 1, 19, "'count' takes 0 arguments, not 1", "countif")]
    [InlineData("calls | summarize make_list(n, 5)", 1, 19, "'make_list' takes 1 argument, not 2", "size")]
    [InlineData("calls | summarize sumif(n, n)", 1, 19, "'sumif' cannot be applied to int and int", "condition")]
    [InlineData("calls | summarize percentile(duration, 101)", 1, 40, "from 0 to 100", "95")]
    [InlineData("calls | summarize percentile(duration, n)", 1, 40, "must be a constant", "let")]
    [InlineData(
        "calls | summarize percentilew(duration, n)",
        1,
        19,
        "'percentilew' takes a value, its weight and a percentile",
        "itemCount"
    )]
    [InlineData(
        "calls | summarize percentilew(duration, n, 5, 95)",
        1,
        19,
        "'percentilew' takes one percentile",
        "percentilesw takes several"
    )]
    [InlineData(
        "calls | summarize percentilesw(duration, duration, 5)",
        1,
        42,
        "a weight must be an integer, not a real",
        "itemCount"
    )]
    [InlineData("calls | summarize percentile(target, 5)", 1, 30, "a string has no percentiles", "todouble")]
    [InlineData("calls | summarize round(percentiles(duration, 5, 95))", 1, 25, "several columns", "extend")]
    [InlineData("calls | summarize count() by tags", 1, 30, "grouped by a dynamic value", "tostring")]
    [InlineData("calls | order by tags", 1, 18, "dynamic values cannot be ordered", "tostring")]
    [InlineData("calls | distinct tags", 1, 18, "'tags' is dynamic", "tostring")]
    [InlineData("calls | where duration", 1, 15, "must be true or false, but this is a real", "Compare")]
    [InlineData(
        "calls | where timestamp > '2030-01-01'",
        1,
        25,
        "'>' cannot be applied to datetime and string",
        "datetime("
    )]
    [InlineData("calls | project tags.a / tags.b", 1, 24, "'/' cannot be applied to dynamic and dynamic", "todouble")]
    [InlineData("calls | extend x = target + 'a'", 1, 27, "'+' cannot be applied to string and string", "It takes")]
    [InlineData("calls | project target.a", 1, 23, "a string has no properties", "dynamic")]
    [InlineData("calls | project strlen(target, 1)", 1, 17, "'strlen' does not take 2 arguments", "It takes (string)")]
    [InlineData("calls | project case(n > 1, 'a')", 1, 17, "pairs of a condition and a value", "case(x > 10")]
    [InlineData("calls | project *", 1, 17, "'*' is not a valid value", "distinct *")]
    [InlineData("calls | take -1", 1, 14, "integer of at least 0", "take 10")]
    [InlineData("calls | join owners on target", 1, 9, "join without a kind", "kind=inner")]
    [InlineData("calls | join kind=fullouter owners on target", 1, 9, "kind=fullouter is not supported", "kind=inner")]
    [InlineData("calls | join kind=inner owners on n", 1, 35, "'n' is int and 'n' is string", "Convert")]
    [InlineData("calls | join kind=inner owners on n > 1", 1, 37, "joined on columns", "$left.a == $right.b")]
    [InlineData("calls | where $left.target == 'a'", 1, 20, "are only valid after 'on'", "Join first")]
    [InlineData("union calls, owners", 1, 1, "'n' is int in one table and string in owners", "Convert")]
    [InlineData("calls | where target in (owners)", 1, 22, "must have one column, but it has 3", "project NAME")]
    [InlineData(
        "calls | where n in (owners | project owner)",
        1,
        17,
        "a int cannot be compared with values of type string",
        "Convert"
    )]
    [InlineData(
        "calls | where n has_any (owners | project owner)",
        1,
        17,
        "'has_any' searches a string, not a int",
        "tostring"
    )]
    [InlineData("calls | where n > (owners | count)", 1, 20, "a value was expected here, not a query", "toscalar")]
    [InlineData("print toscalar(5)", 1, 7, "toscalar requires a query", "For example")]
    [InlineData("print extract('(', 1, 'a')", 1, 1, "'(' is not a regular expression", "@'")]
    [InlineData("calls | where target matches regex @'(a)\\1'", 1, 1, "uses lookarounds or backreferences", "groups")]
    [InlineData("print datetime_diff('eon', now(), now())", 1, 1, "'eon' is not a part of a date", "Parts: ")]
    [InlineData("calls | summarize arg_max()", 1, 19, "at least one argument", "arg_max(timestamp, *)")]
    public void Invalid_query_is_explained(string query, int line, int column, string reason, string? hint)
    {
        var error = Assert.Throws<KqlException>(() => Answer.To(query, Tables));

        Assert.Contains(reason, error.Reason);
        Assert.Equal((line, column), (error.Line, error.Column));
        if (hint is not null)
            Assert.Contains(hint, error.Hint);
        Assert.StartsWith($"line {line}, column {column}: ", error.Message);
    }

    [Fact]
    public void Quoted_name_may_be_any_word() =>
        Assert.Equal(
            "first:int, größe:string\n1; package",
            Answer.To(
                "calls | extend ['first'] = n, ['größe'] = target | summarize ['first'] = max(['first']) by ['größe']"
                    + " | project ['first'], ['größe']",
                Tables
            )
        );
}
