namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>Orders and joins over more rows than a small sort or one batch would show.</summary>
public sealed class OrderTests
{
    private const int Many = 250_000;

    // Every fifth row has the same key; n says in which order they came.
    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table("rows", "key:long, n:long", [.. Enumerable.Range(0, Many).Select(n => new object?[] { n % 5, n })]),
        Answer.Table("few", "key:string, n:long", ["a", 1], [null, 2]),
        Answer.Table("nulls", "key:long, n:long", [1, 1], [null, 2], [null, 3]));

    [Theory]
    [InlineData("rows | where n < 1000 | order by key asc | take 3", "0; 0\n0; 5\n0; 10")]
    [InlineData("rows | order by key desc | take 3", "4; 4\n4; 9\n4; 14")]
    [InlineData("rows | top 3 by key asc", "0; 0\n0; 5\n0; 10")]
    [InlineData("rows | top 3 by n desc", "4; 249999\n3; 249998\n2; 249997")]
    [InlineData("rows | top 2 by n asc", "0; 0\n1; 1")]
    [InlineData("rows | where n < 200 | order by key asc | where key == 4 | take 2", "4; 4\n4; 9")]
    [InlineData("rows | top 120000 by key asc | summarize key = max(key), n = count()", "2; 120000")]
    public void Equal_rows_stay_as_they_came(string query, string rows) =>
        Assert.Equal($"key:long, n:long\n{rows}", Answer.To(query, Tables));

    /// <summary>A null key is one more key, for which the other side has rows or has none. A text that is missing is empty.</summary>
    [Theory]
    [InlineData("nulls | join kind=inner (nulls | where isnotnull(key)) on key | project n, n1", "1; 1")]
    [InlineData("nulls | join kind=leftouter (nulls | where isnotnull(key)) on key | project n, n1", "1; 1\n2; ∅\n3; ∅")]
    [InlineData("nulls | where n != 2 | join kind=inner nulls on key | project n, n1", "1; 1\n3; 2\n3; 3")]
    [InlineData("nulls | where isnotnull(key) | join kind=leftouter (nulls | where isnull(key)) on key | project n, n1", "1; ∅")]
    [InlineData("nulls | where n > 1 | join kind=inner (nulls | where n < 3) on key, n | project n, n1", "2; 2")]
    [InlineData("few | join kind=inner (few | where isempty(key)) on key | project n, n1", "2; 2")]
    public void Keys_that_are_null_are_joined_as_any_other(string query, string rows) =>
        Assert.Equal($"n:long, n1:long\n{rows}", Answer.To(query, Tables));
}
