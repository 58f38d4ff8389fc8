namespace DroneDelivery.Telemetry.Tests.Query;

public sealed class LimitTests
{
    // 1,000 rows with the same target.
    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table(
            "calls",
            "target:string, n:long, long_text:string",
            [.. Enumerable.Range(0, 1_000).Select(i => new object?[] { "package", i, new string('x', 1_000) })]
        )
    );

    [Theory]
    [InlineData("calls | take 200", "ResultRows", "limit of 100 rows", "take 1000")]
    [InlineData(
        "calls | join kind=inner calls on target | count",
        "JoinRows",
        "limit of 500,000 rows",
        "more selective column"
    )]
    [InlineData("calls | order by n", "HeldValues", "limit of 900 values", "Filter")]
    [InlineData("calls | summarize count() by n", "HeldValues", "limit of 900 values", "Filter")]
    [InlineData("calls | summarize make_list(n)", "HeldValues", "limit of 900 values", "Filter")]
    [InlineData("calls | summarize percentile(n, 50)", "HeldValues", "limit of 900 values", "Filter")]
    [InlineData("calls | summarize arg_max(n, target) by n", "HeldValues", "limit of 900 values", "Filter")]
    [InlineData("calls | where n in (calls | project n) | count", "HeldValues", "limit of 900 values", "Filter")]
    [InlineData(
        "calls | extend a = strcat(long_text, n) | extend b = strcat(a, a, a) | where strlen(b) > 5 | count",
        "Characters",
        "limit of 2,000,000 characters",
        "Filter first"
    )]
    [InlineData(
        "print replace_string(replace_string(replace_string('aaaaaaaaaaaaaaaa', 'a', 'bbbbbbbbbbbbbbbb'), "
            + "'b', 'cccccccccccccccccccccccccccccccc'), 'c', '"
            + "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
            + "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
            + "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd')",
        "Characters",
        "limit of 2,000,000 characters",
        "Filter first"
    )]
    public void Exceeded_limit_is_named(string query, string limit, string reason, string hint)
    {
        var limits = limit switch
        {
            "ResultRows" => new QueryLimits { ResultRows = 100 },
            "JoinRows" => new QueryLimits { JoinRows = 500_000 },
            "HeldValues" => new QueryLimits { HeldValues = 900 },
            _ => new QueryLimits { Characters = 2_000_000 },
        };
        var error = Assert.Throws<KqlException>(() => Answer.To(query, Tables, new() { Limits = limits }));

        Assert.Contains(reason, error.Reason);
        Assert.Contains(hint, error.Hint);
    }

    [Theory]
    [InlineData("calls | project n", 100, true)]
    [InlineData("calls | order by n desc", 100, true)]
    [InlineData("union calls, calls", 1_500, true)]
    [InlineData("calls | take 100", 100, false)]
    [InlineData("calls | where n < 0", 0, false)]
    public void Partial_result_is_truncated_with_a_warning(string query, int rows, bool isPartial)
    {
        var options = new QueryOptions { Limits = new() { ResultRows = Math.Max(rows, 100) } };

        var answer = KqlQuery
            .Parse(query, allowPartial: true)
            .Run(Tables, options, null, TestContext.Current.CancellationToken);

        Assert.Equal(rows, answer.Rows);
        Assert.Equal(isPartial, answer.Partial is not null);
        if (isPartial)
        {
            Assert.StartsWith($"Rows are missing: the result exceeds the limit of {rows:N0} rows. Add", answer.Partial);
        }

        if (query.Contains("order", StringComparison.Ordinal))
            Assert.Equal((999L, 900L), (answer.Column("n").First(), answer.Column("n").Last()));
    }

    [Fact]
    public void Time_is_limited()
    {
        // 2^30 times the table: each let doubles the previous one.
        var doubled = string.Concat(Enumerable.Range(1, 30).Select(i => $"let t{i} = union t{i - 1}, t{i - 1};\n"));

        var error = Assert.Throws<KqlException>(() =>
            Answer.To(
                $"let t0 = calls;\n{doubled}t30 | summarize count()",
                Tables,
                new() { Limits = new() { Time = TimeSpan.FromMilliseconds(50) } }
            )
        );

        Assert.Contains("exceeded the limit of 0.05 s", error.Reason);
    }

    [Fact]
    public void Query_can_be_canceled()
    {
        using var cancelled = new CancellationTokenSource();
        cancelled.Cancel();

        Assert.Throws<OperationCanceledException>(() =>
            KqlQuery.Parse("calls | count").Run(Tables, cancellationToken: cancelled.Token)
        );
    }

    [Theory]
    [InlineData("(", ")", 49_000)]
    [InlineData("-", "", 90_000)]
    [InlineData("not(", ")", 15_000)]
    [InlineData("1 + ", "", 20_000)]
    [InlineData("strcat('a', ", ")", 7_000)]
    public void Deep_nesting_never_overflows_the_stack(string before, string after, int depth)
    {
        var text =
            string.Concat(Enumerable.Repeat(before, depth)) + "1" + string.Concat(Enumerable.Repeat(after, depth));

        // On a thread with a small stack, like that of a request.
        Exception? outcome = null;
        var thread = new Thread(
            () =>
                outcome = Record.Exception(() =>
                    KqlQuery
                        .Parse($"print {text}")
                        .Run(Tables, cancellationToken: TestContext.Current.CancellationToken)
                ),
            maxStackSize: 512 * 1024
        );
        thread.Start();
        thread.Join();

        if (outcome is not null)
            Assert.Contains("nested too deeply", Assert.IsType<KqlException>(outcome).Reason);
    }

    [Theory]
    [InlineData(" ", 100_001, "longer than 100000 characters")]
    [InlineData("| take 1", 201, "at most 200 steps")]
    public void Too_long_query_is_rejected(string part, int times, string reason)
    {
        var query = "calls" + string.Concat(Enumerable.Repeat(part, times));

        Assert.Contains(reason, Assert.Throws<KqlException>(() => KqlQuery.Parse(query)).Reason);
    }

    [Fact]
    public void Pathological_regular_expression_is_matched_in_linear_time() =>
        Assert.Equal("bool false", Answer.Value($"'{new string('a', 5_000)}b' matches regex '^(a+)+$'"));
}
