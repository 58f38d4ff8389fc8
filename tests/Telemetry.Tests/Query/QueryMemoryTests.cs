namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>A query stores only rows that can still be part of the result.</summary>
public sealed class QueryMemoryTests
{
    private static readonly TelemetrySnapshot Nothing = new([]);

    // The test is about memory. A busy machine may exceed the ten seconds for interactive queries.
    private static readonly TimeSpan QueryTimeout = TimeSpan.FromMinutes(2);

    [Theory]
    [InlineData("range n from 1 to 1000000 step 1 | top 3 by n | project n", "n:long\n1000000\n999999\n999998")]
    [InlineData(
        "range n from 1 to 1000000 step 1 | extend g = n % 60000 | summarize arg_max(n, *) by g | summarize count(), max(n)",
        "count_:long, max_n:long\n60000; 1000000"
    )]
    public void Replaced_rows_are_not_stored(string query, string answer) =>
        Assert.Equal(
            answer,
            Answer.To(
                query,
                Nothing,
                new()
                {
                    Limits = new() { HeldValues = 400_000, Time = QueryTimeout },
                }
            )
        );

    [Fact]
    public void Left_outer_join_copies_its_right_side_once()
    {
        const int MaxMegabytes = 260; // A copy for each batch of the left side would add 140.
        var query = KqlQuery.Parse(
            "range n from 1 to 1000000 step 1 | extend k = 1"
                + " | join kind=leftouter (range m from 1 to 1000000 step 1 | extend k = 0) on k"
                + " | summarize c = countif(isnull(m))"
        );
        var before = GC.GetAllocatedBytesForCurrentThread();

        var limits = new QueryLimits { Time = QueryTimeout };
        var answer = query.Run(
            Nothing,
            new() { Limits = limits },
            cancellationToken: TestContext.Current.CancellationToken
        );

        Assert.Equal(1_000_000L, answer[0, 0]);
        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) >> 20, 0, MaxMegabytes);
    }
}
