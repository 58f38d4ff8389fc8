namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// The CPU time of the virtual nodes since they were placed. Two readings of a placement give the utilization between them.
/// </summary>
/// <param name="Placed">The start of the placement.</param>
internal sealed record NodeReading(DateTimeOffset Time, DateTimeOffset Placed, int VCpu, IReadOnlyList<TimeSpan> Spent)
{
    public long Holds { get; init; }

    /// <summary>The number of holds that completed late (<see cref="LatenessCounts.Late"/>).</summary>
    public long LateHolds { get; init; }

    /// <summary>Returns the CPU utilization of each node since an earlier reading, 0–1, or since a later placement.</summary>
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

/// <summary>The monotonic time of the nodes.</summary>
internal sealed class NodeClock(TimeProvider clock)
{
    private readonly long _origin = clock.GetTimestamp();

    public DateTimeOffset Origin { get; } = clock.GetUtcNow();

    public TimeSpan Now => clock.GetElapsedTime(_origin);
}
