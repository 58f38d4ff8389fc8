namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>What shows only where a table has more than one chunk, or a batch no row.</summary>
public sealed class BatchTests
{
    private const int Many = 70_000; // a chunk and some rows

    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table("few", "key:string, n:long", ["a", 1], ["b", 2]),
        Answer.Table("many", "hex:string, word:string, itemId:string", [.. Enumerable.Range(0, Many).Select(Row)]));

    [Theory]
    [InlineData("union few, (few | where n > 5 | summarize n = max(n) by key), few | order by n asc | project n", "1\n1\n2\n2")]
    [InlineData("print n = toscalar(union (few | where n > 5 | summarize n = max(n) by key | project n), (few | project n))", "1")]
    public void A_batch_without_rows_changes_nothing(string query, string rows) =>
        Assert.Equal($"n:long\n{rows}", Answer.To(query, Tables));

    /// <summary>Digits are packed in pairs, and the places of up to 255 texts beside the empty one into a byte each.</summary>
    [Theory]
    [InlineData("many | where hex == 'abc' | summarize n = count()", "35000")]
    [InlineData("many | where hex == 'def' | summarize n = count()", "35000")]
    [InlineData("many | where isempty(word) | summarize n = count()", "0")]
    [InlineData("many | summarize by word | summarize n = count()", "256")]
    public void Texts_come_out_of_a_full_chunk_as_they_went_in(string query, string rows) =>
        Assert.Equal($"n:long\n{rows}", Answer.To(query, Tables));

    /// <summary>The number of its row in the table, so nothing is stored for it.</summary>
    [Theory]
    [InlineData("many | summarize by itemId | summarize n = count()", "70000")]
    [InlineData("many | summarize a = min(itemId), z = max(itemId) | project n = strcat(a, ' ', z)", "00000000 0001116f")]
    public void Each_row_of_a_table_has_an_id_of_its_own(string query, string rows) =>
        Assert.EndsWith($"\n{rows}", Answer.To(query, Tables), StringComparison.Ordinal);

    [Fact]
    public void A_result_of_as_many_rows_as_the_limit_is_given() =>
        Assert.Equal("n:long\n1\n2", Answer.To("few | project n", Tables, new() { Limits = new QueryLimits { ResultRows = 2 } }));

    private static object?[] Row(int number) => [number % 2 == 0 ? "abc" : "def", $"word {number % 256}"];
}
