namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>
/// Steps of a query, with results computed manually: names and types of columns as in Azure, and then the rows.
/// </summary>
public sealed class TabularTests
{
    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table(
            "calls",
            "timestamp:datetime, target:string, duration:real, success:bool, n:int, tags:dynamic",
            ["2030-01-01T00:00:01Z", "package", 12.0, true, 1, """{"id":"a","size":3}"""],
            ["2030-01-01T00:00:04Z", "delivery", 40.0, false, 2, """{"id":"b"}"""],
            ["2030-01-01T00:00:06Z", "package", 10.0, true, 3, null],
            ["2030-01-01T00:00:11Z", "", null, null, null, null],
            ["2030-01-01T00:00:12Z", "delivery", 30.0, true, 5, """{"id":"a"}"""]
        ),
        Answer.Table(
            "owners",
            "target:string, owner:string, n:long",
            ["package", "ann", 7],
            ["delivery", "bob", 8],
            ["delivery", "cyd", 9],
            ["redis", "dan", 10]
        ),
        Answer.Table("empty", "target:string, duration:real, success:bool"),
        Answer.Table(
            "parts",
            "part:string, pattern:string, n:long",
            ["day", "a", 1],
            ["hour", "a", 2],
            ["day", "(", 3],
            ["hour", "a", 4]
        )
    );

    [Theory]
    // Rows and columns
    [InlineData(
        "calls | where duration > 11 and success | project target, duration",
        "target:string, duration:real\npackage; 12\ndelivery; 30"
    )]
    [InlineData("calls | filter not(success) | project n", "n:int\n2")]
    [InlineData("calls | where isnull(success) | project n, d = duration", "n:int, d:real\n∅; ∅")]
    [InlineData("calls | where success == \"True\" | count", "Count:long\n3")]
    [InlineData(
        "calls | where tags.id == 'a' | project tags.id, tostring(tags.size), tags[\"id\"]",
        "tags_id:dynamic, tags_size:string, tags_id1:dynamic\na; 3; a\na; ; a"
    )]
    [InlineData(
        "calls | take 1 | project n + 1, strcat(target, '!'), bin(timestamp, 5s), strlen(target), 5",
        "Column1:long, Column2:string, timestamp:datetime, strlen_target:long, Column3:long\n2; package!; 2030-01-01T00:00:00Z; 7; 5"
    )]
    [InlineData(
        "calls | project-rename towards = target, ms = duration | take 1 | project-away t*",
        "ms:real, success:bool, n:int\n12; true; 1"
    )]
    [InlineData("owners | project-keep *n*", "owner:string, n:long\nann; 7\nbob; 8\ncyd; 9\ndan; 10")]
    [InlineData("owners | project ['the owner'] = owner | where ['the owner'] == 'bob'", "the owner:string\nbob")]
    [InlineData("owners | project target | distinct *", "target:string\npackage\ndelivery\nredis")]
    [InlineData("print 1, x = 'a', now() > ago(1s)", "print_0:long, x:string, print_2:bool\n1; a; true")]
    // Order
    [InlineData("calls | sort by target asc, duration desc | project n", "n:int\n∅\n2\n5\n1\n3")]
    [InlineData("calls | order by success asc, n desc | project n", "n:int\n∅\n2\n5\n3\n1")]
    [InlineData("calls | top 2 by duration desc nulls first | project n", "n:int\n∅\n2")]
    [InlineData("calls | order by n desc | where n < 5 | take 1 | project n", "n:int\n3")]
    // Groups
    [InlineData(
        "calls | summarize count(), sum(n), avg(duration), min(duration), max(timestamp)",
        "count_:long, sum_n:long, avg_duration:real, min_duration:real, max_timestamp:datetime\n5; 11; 23; 10; 2030-01-01T00:00:12Z"
    )]
    [InlineData(
        "calls | summarize countif(success), sumif(n, success), avgif(duration, success), dcount(target), dcountif(target, success)",
        "countif_success:long, sumif_n:long, avgif_duration:real, dcount_target:long, dcountif_target:long\n"
            + "3; 9; 17.333333333333332; 3; 2"
    )]
    [InlineData(
        "calls | summarize sumif(n, success == true) by target",
        "target:string, sumif_n:long\npackage; 4\ndelivery; 5\n; 0"
    )]
    [InlineData(
        "calls | summarize n = sum(n) by target, ok = success",
        "target:string, ok:bool, n:long\npackage; true; 4\ndelivery; false; 2\n; ∅; 0\ndelivery; true; 5"
    )]
    [InlineData(
        "calls | summarize percentiles(duration, 50, 95), percentile(n, 50)",
        "percentile_duration_50:real, percentile_duration_95:real, percentile_n_50:long\n12; 40; 2"
    )]
    [InlineData("calls | summarize percentile(duration, 99.9)", "percentile_duration_99_9:real\n40")]
    [InlineData(
        "calls | summarize x = percentile(duration, 95) / percentile(duration, 0), y = percentile(n, 50) + count()",
        "x:real, y:long\n4; 7"
    )]
    [InlineData(
        "calls | summarize round(avg(duration), 1), strcat(tostring(count()), ' calls')",
        "avg_duration:real, Column1:string\n23; 5 calls"
    )]
    [InlineData(
        "calls | summarize arg_max(duration, target, n)",
        "duration:real, target:string, n:int\n40; delivery; 2"
    )]
    [InlineData(
        "calls | summarize arg_min(duration, n) by target",
        "target:string, duration:real, n:int\npackage; 10; 3\ndelivery; 30; 5\n; ∅; ∅"
    )]
    [InlineData(
        "owners | summarize arg_max(n, *) by target",
        "target:string, n:long, owner:string\npackage; 7; ann\ndelivery; 9; cyd\nredis; 10; dan"
    )]
    [InlineData(
        "calls | summarize percentilew(n, 1, 50), a = percentilesw(n, iff(n == 5, 100, 1), 1, 50), "
            + "p = percentilew(n, iff(n == 5, 0, 1), 100)",
        "percentile_n_50:long, a:long, percentile_n_501:long, p:long\n2; 2; 5; 3"
    )]
    [InlineData(
        "calls | summarize first_ = percentilew(n, iff(n == 1, 0, 1), 0), none = percentilew(n, 0, 50)",
        "first_:long, none:long\n2; ∅"
    )]
    [InlineData(
        "union (print a = '', b = 1), (print a = 'x', b = 2), (print a = 'y', b = 3) | summarize take_any(a)",
        "a:string\nx"
    )]
    [InlineData(
        "union (print a = int(null), b = 1), (print a = int(7), b = 2) | summarize take_any(a), any_ = count()",
        "a:int, any_:long\n7; 2"
    )]
    [InlineData(
        "union (print a = '', b = 1), (print a = 'x', b = 2) | summarize take_any(a, b)",
        "a:string, b:long\n; 1"
    )]
    [InlineData(
        "union (print a = long(null), b = 'none'), (print a = 1, b = 'one'), (print a = -1, b = 'less')"
            + " | summarize arg_max(a, b), arg_min(a, b)",
        "a:long, b:string, a1:long, b1:string\n1; one; -1; less"
    )]
    [InlineData( // Both on the same side of 0.
        "union (print a = long(null), b = 'none', c = long(null)), (print a = -1, b = 'one', c = 1), (print a = -2, b = 'two', c = 2)"
            + " | summarize arg_max(a, b), arg_min(c, b)",
        "a:long, b:string, c:long, b1:string\n-1; one; 1; one"
    )]
    [InlineData(
        "owners | summarize take_any(owner) by target",
        "target:string, owner:string\npackage; ann\ndelivery; bob\nredis; dan"
    )]
    [InlineData(
        "owners | summarize make_list(owner), make_set(target)",
        "list_owner:dynamic, set_target:dynamic\n[\"ann\",\"bob\",\"cyd\",\"dan\"]; [\"package\",\"delivery\",\"redis\"]"
    )]
    [InlineData(
        "calls | summarize min(target), max(success), avg(timestamp - datetime(2030-01-01))",
        "min_target:string, max_success:bool, avg_:timespan\n; true; 00:00:06.8000000"
    )]
    [InlineData(
        "empty | summarize count(), sum(duration), sumif(duration, success), max(duration), dcount(target), make_list(target)",
        "count_:long, sum_duration:real, sumif_duration:real, max_duration:real, dcount_target:long, list_target:dynamic\n"
            + "0; 0; 0; ∅; 0; []"
    )]
    [InlineData(
        "empty | summarize percentiles(duration, 50, 95), arg_max(duration, target)",
        "percentile_duration_50:real, percentile_duration_95:real, duration:real, target:string\n∅; ∅; ∅; "
    )]
    [InlineData("empty | summarize avg(duration)", "avg_duration:real\nNaN")]
    [InlineData(
        "union calls, calls | where n > 1 or isnull(n) | summarize count() by duration, late = timestamp - datetime(2030-01-01)",
        "duration:real, late:timespan, count_:long\n40; 00:00:04; 2\n10; 00:00:06; 2\n∅; 00:00:11; 2\n30; 00:00:12; 2"
    )]
    [InlineData("calls | summarize sum(n), sum(n)", "sum_n:long, sum_n1:long\n11; 11")]
    [InlineData("calls | summarize count() by tostring(tags.id)", "tags_id:string, count_:long\na; 2\nb; 1\n; 2")]
    [InlineData(
        "calls | summarize count() by iff(n > 2, 'big', 'small')",
        "Column1:string, count_:long\nsmall; 3\nbig; 2"
    )]
    // Several tables
    [InlineData(
        "calls | join kind=inner owners on target | project n, target, owner, n1",
        "n:int, target:string, owner:string, n1:long\n1; package; ann; 7\n2; delivery; bob; 8\n2; delivery; cyd; 9\n3; package; ann; 7\n"
            + "5; delivery; bob; 8\n5; delivery; cyd; 9"
    )]
    [InlineData(
        "calls | join kind=leftouter (owners | where owner != 'cyd') on target | project n, target1, owner, n1",
        "n:int, target1:string, owner:string, n1:long\n1; package; ann; 7\n2; delivery; bob; 8\n3; package; ann; 7\n∅; ; ; ∅\n"
            + "5; delivery; bob; 8"
    )]
    [InlineData(
        "calls | join kind=inner (owners | project who = target, owner) on $left.target == $right.who | where n == 1 | project owner",
        "owner:string\nann"
    )]
    [InlineData(
        "calls | join kind=inner (owners | extend n = n - 6) on target, n | project owner, n1",
        "owner:string, n1:long\nann; 1\nbob; 2"
    )]
    [InlineData(
        "union (calls | project target, a = 1), (owners | project target, b = owner) | take 6 | order by target asc, b asc",
        "target:string, a:long, b:string\n; 1; \ndelivery; 1; \ndelivery; 1; \npackage; 1; \npackage; 1; \npackage; ∅; ann"
    )]
    [InlineData("calls | project target, x = 1 | union kind=inner owners | take 1", "target:string\npackage")]
    [InlineData(
        "union withsource=from (calls | project target), owners | summarize count() by from",
        "from:string, count_:long\nunion_arg0; 5\nowners; 4"
    )]
    [InlineData("let t = 'package'; calls | where target == t | count", "Count:long\n2")]
    [InlineData("let big = calls | where n > 1; let few = big | where n < 5; few | count", "Count:long\n2")]
    [InlineData("calls | where target in~ (owners | project toupper(target)) | count", "Count:long\n4")]
    [InlineData(
        "calls | where strcat('GET /', target) has_any (owners | project toupper(target)) | count",
        "Count:long\n4"
    )]
    [InlineData(
        "let names = owners | where n > 7 | project target; calls | where strcat(target, '-requests') has_any (names) | project n",
        "n:int\n2\n5"
    )]
    [InlineData("calls | where strcat(target, 's') has_any (owners | project target) | count", "Count:long\n0")]
    [InlineData(
        "let m = toscalar(calls | summarize max(n)); calls | where n == m | project target",
        "target:string\ndelivery"
    )]
    [InlineData(
        "let id = toscalar(calls | where success == false | summarize arg_max(timestamp, target) | project target); "
            + "calls | where target == id | project n",
        "n:int\n2\n5"
    )]
    [InlineData("(calls | where n == 1) | project target // a comment\n;", "target:string\npackage")]
    [InlineData(
        "union withsource=target (calls | project target), owners | summarize count() by target",
        "target:string, count_:long\nunion_arg0; 5\nowners; 4"
    )]
    [InlineData(
        "union withsource=owner owners, empty | take 1 | project owner, owner1, target",
        "owner:string, owner1:string, target:string\nowners; ann; package"
    )]
    // Sequences of values
    [InlineData("range n from 3 to 5 step 10", "n:long\n3")]
    [InlineData("range n from 5 to 3 step 10", "n:long")]
    [InlineData("range n from 3 to 5 step -10", "n:long")]
    [InlineData("range t from datetime(2030-01-02) to datetime(2030-01-01) step 7d", "t:datetime")]
    [InlineData("range n from 1 to -9223372036854775807 step -1 | take 2", "n:long\n1\n0")]
    [InlineData(
        "range n from -9223372036854775807 to 9223372036854775807 step 9223372036854775807",
        "n:long\n-9223372036854775807\n0\n9223372036854775807"
    )]
    // Sets
    [InlineData("print x = dynamic([1, \"1\", 1]) | summarize make_set(x)", "set_x:dynamic\n[1,\"1\"]")]
    [InlineData(
        "union (print x = dynamic({\"a\":1})), (print x = dynamic({\"a\": 1})) | summarize make_set(x)",
        "set_x:dynamic\n[{\"a\":1}]"
    )]
    // Values that no row contains
    [InlineData(
        "parts | project datetime_diff(part, datetime(2030-01-02), datetime(2030-01-01))",
        "Column1:long\n1\n24\n1\n24"
    )]
    [InlineData("parts | where n != 3 | where 'a' matches regex pattern | count", "Count:long\n3")]
    public void Query_has_its_columns_and_rows(string query, string answer) =>
        Assert.Equal(answer, Answer.To(query, Tables));

    [Fact]
    public void Render_properties_are_returned_to_the_caller()
    {
        var query = KqlQuery.Parse("calls | count | render columnchart with (title='How many', kind=stacked)");

        var result = query.Run(Tables, cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal("columnchart", result.Rendering!.Chart);
        Assert.Equal(
            ("How many", "stacked"),
            (result.Rendering.Properties["title"], result.Rendering.Properties["kind"])
        );
        Assert.Equal(5L, result[0, 0]);
    }
}
