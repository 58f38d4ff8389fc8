namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>Effects that require a table with several chunks, a sort of many rows, or an empty batch.</summary>
public sealed class BatchTests
{
    private const int Many = 70_000; // A chunk and some rows.
    private const int More = 250_000; // Enough for a sort.

    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table("few", "key:string, n:long", ["a", 1], [null, 2]),
        Answer.Table("nulls", "key:long, n:long", [1, 1], [null, 2], [null, 3]),
        // Every fifth row has the same key. n is the original order.
        Answer.Table(
            "rows",
            "key:long, n:long",
            [.. Enumerable.Range(0, More).Select(n => new object?[] { n % 5, n })]
        ),
        Answer.Table("many", "hex:string, word:string, itemId:string", [.. Enumerable.Range(0, Many).Select(Row)])
    );

    [Theory]
    [InlineData(
        "union few, (few | where n > 5 | summarize n = max(n) by key), few | order by n asc | project n",
        "1\n1\n2\n2"
    )]
    [InlineData(
        "print n = toscalar(union (few | where n > 5 | summarize n = max(n) by key | project n), (few | project n))",
        "1"
    )]
    [InlineData("many | where hex == 'abc' | summarize n = count()", "35000")]
    [InlineData("many | where hex == 'def' | summarize n = count()", "35000")]
    [InlineData("many | where isempty(word) | summarize n = count()", "0")]
    [InlineData("many | summarize by word | summarize n = count()", "256")]
    // An itemId is the row's number in the table, so it isn't stored.
    [InlineData("many | summarize by itemId | summarize n = count()", "70000")]
    [InlineData("many | where itemId in ('00000000', '0001116f') | summarize n = count()", "2")]
    [InlineData("few | project n", "1\n2")] // As many rows as the limit.
    // An empty batch reads no values, not even of an empty string.
    [InlineData("few | where n > 5 | order by key asc | summarize n = max(datetime_diff(key, now(), now()))", "∅")]
    public void Several_chunks_and_empty_batches_do_not_change_results(string query, string rows)
    {
        var limits = new QueryLimits { ResultRows = rows.Split('\n').Length };

        Assert.Equal($"n:long\n{rows}", Answer.To(query, Tables, new() { Limits = limits }));
    }

    [Theory]
    [InlineData("rows | where n < 1000 | order by key asc | take 3", "0; 0\n0; 5\n0; 10")]
    [InlineData("rows | order by key desc | take 3", "4; 4\n4; 9\n4; 14")]
    [InlineData("rows | top 3 by key asc", "0; 0\n0; 5\n0; 10")]
    [InlineData("rows | top 3 by n desc", "4; 249999\n3; 249998\n2; 249997")]
    [InlineData("rows | where n < 200 | order by key asc | where key == 4 | take 2", "4; 4\n4; 9")]
    [InlineData("rows | top 120000 by key asc | summarize key = max(key), n = count()", "2; 120000")]
    public void Equal_rows_keep_their_order(string query, string rows) =>
        Assert.Equal($"key:long, n:long\n{rows}", Answer.To(query, Tables));

    /// <summary>A null key is a key like any other. A missing string is empty.</summary>
    [Theory]
    [InlineData("nulls | join kind=inner (nulls | where isnotnull(key)) on key | project n, n1", "1; 1")]
    [InlineData(
        "nulls | join kind=leftouter (nulls | where isnotnull(key)) on key | project n, n1",
        "1; 1\n2; ∅\n3; ∅"
    )]
    [InlineData("nulls | where n != 2 | join kind=inner nulls on key | project n, n1", "1; 1\n3; 2\n3; 3")]
    [InlineData(
        "nulls | where isnotnull(key) | join kind=leftouter (nulls | where isnull(key)) on key | project n, n1",
        "1; ∅"
    )]
    [InlineData("nulls | where n > 1 | join kind=inner (nulls | where n < 3) on key, n | project n, n1", "2; 2")]
    [InlineData("few | join kind=inner (few | where isempty(key)) on key | project n, n1", "2; 2")]
    public void Null_keys_are_joined_like_others(string query, string rows) =>
        Assert.Equal($"n:long, n1:long\n{rows}", Answer.To(query, Tables));

    private static object?[] Row(int number) => [number % 2 == 0 ? "abc" : "def", $"word {number % 256}"];
}
