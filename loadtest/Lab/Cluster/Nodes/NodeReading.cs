namespace DroneDelivery.Lab.Cluster;

/// <summary>What the virtual nodes had spent at one moment. Two readings of the same placement give the utilization between them.</summary>
/// <param name="Placed">When the nodes were placed and stood at zero.</param>
/// <param name="Spent">Node → CPU time since they were placed.</param>
internal sealed record NodeReading(DateTimeOffset Time, DateTimeOffset Placed, int VCpu, IReadOnlyList<TimeSpan> Spent)
{
    /// <summary>The number of holds that ended since the nodes were created.</summary>
    public long Holds { get; init; }

    /// <summary>The number of holds that ended more than <see cref="LatenessCounts.Late"/> after they were due.</summary>
    public long LateHolds { get; init; }

    /// <summary>
    /// Node → share of its CPU that was busy between an earlier reading and this one: 0–1, exact. Nodes placed anew in between count from
    /// then.
    /// </summary>
    public IReadOnlyList<double> Since(NodeReading earlier)
    {
        var isSame = earlier.Placed == Placed && earlier.Spent.Count == Spent.Count;
        var capacity = VCpu * (Time - (isSame ? earlier.Time : Placed));
        return
        [
            .. Spent.Select(
                (spent, node) =>
                    capacity > TimeSpan.Zero ? (spent - (isSame ? earlier.Spent[node] : TimeSpan.Zero)) / capacity : 0
            ),
        ];
    }
}

/// <summary>Time since it was made: the time of the nodes. Never goes back.</summary>
internal sealed class NodeClock(TimeProvider clock)
{
    private readonly long _origin = clock.GetTimestamp();

    public DateTimeOffset Origin { get; } = clock.GetUtcNow();

    public TimeSpan Now => clock.GetElapsedTime(_origin);
}
