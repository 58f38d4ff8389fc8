namespace DroneDelivery.Telemetry.Query;

/// <summary>The limits of a query. Exceeding one is an error that names the limit, or truncates the result.</summary>
public sealed record QueryLimits
{
    public static QueryLimits Default { get; } = new();

    /// <summary>The execution time. The default is 10 s.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The number of result rows. The default is 500,000.</summary>
    public int ResultRows { get; init; } = 500_000;

    /// <summary>The number of rows that a join can produce. The default is 2,000,000.</summary>
    public int JoinRows { get; init; } = 2_000_000;

    /// <summary>The number of values held in memory to sort, group, or join. The default is 20,000,000 (about 160
    /// MB).</summary>
    public long HeldValues { get; init; } = 20_000_000;

    /// <summary>The number of characters in all strings that the query creates. The default is 200,000,000 (400
    /// MB).</summary>
    public long Characters { get; init; } = 200_000_000;
}
