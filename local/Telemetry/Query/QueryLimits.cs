namespace DroneDelivery.Telemetry.Query;

/// <summary>What one query may use. Beyond it the query ends with an error that names the limit, or with a part of its rows.</summary>
public sealed record QueryLimits
{
    public static QueryLimits Default { get; } = new();

    /// <summary>Time from start to result. Default 10 s.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Rows of the result. Default 500,000.</summary>
    public int ResultRows { get; init; } = 500_000;

    /// <summary>Rows that a join may produce. Default 2,000,000.</summary>
    public int JoinRows { get; init; } = 2_000_000;

    /// <summary>Values that must be held at once to sort, to group or to join. Default 20,000,000 (some 160 MB).</summary>
    public long HeldValues { get; init; } = 20_000_000;

    /// <summary>Characters of all texts that the query makes. Default 200,000,000 (400 MB).</summary>
    public long Characters { get; init; } = 200_000_000;
}
