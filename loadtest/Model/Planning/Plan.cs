namespace DroneDelivery.Model.Planning;

/// <summary>The result of the planner's formulas for a configuration. Rates are per second.</summary>
public sealed record Plan
{
    // Limits within this factor of each other are one bottleneck.
    private const double Same = 1.001;

    /// <summary>Requests per second at full load, if responses take no time.</summary>
    public required double Incoming { get; init; }

    /// <summary>The limits of handlers and nodes, the lowest first.</summary>
    public required IReadOnlyList<Limit> Limits { get; init; }

    /// <summary>All limits, including the load, the lock duration and the stores; the lowest first.</summary>
    public required IReadOnlyList<Limit> All { get; init; }

    /// <summary>Deliveries completed per second at full load, if no lock expires and no store is full.</summary>
    public double Rate => Math.Min(Incoming, Limits[0].Rate);

    /// <summary>Deliveries completed per second indefinitely.</summary>
    public double Sustained => Binds.Rate;

    public Limit Binds => All[0];

    /// <summary>The next bottleneck, or <c>null</c> if none is known.</summary>
    public Limit? Next => All.FirstOrDefault(limit => limit.Rate > Binds.Rate * Same && limit.Rate > 0);

    /// <summary>The largest prefetch count with which no lock expires in a full buffer; can be infinite.</summary>
    public required double LargestPrefetch { get; init; }

    /// <summary>Half of <see cref="LargestPrefetch"/>, but at least one message per handler.</summary>
    public required double SafePrefetch { get; init; }

    /// <summary>The prefetch count above which full buffers stop all completions.</summary>
    public required double CollapsePrefetch { get; init; }

    /// <summary>Whether locks expire: enough messages wait long enough, and the buffers exceed <see cref="LargestPrefetch"/>.</summary>
    public required bool LosesLocks { get; init; }

    public required bool Collapses { get; init; }

    /// <summary>Unsettled messages at the end of the load, if no lock expires.</summary>
    public required double Backlog { get; init; }

    public required double DrainSeconds { get; init; }

    /// <summary>Seconds since the load began; <c>null</c> if the cache has room for the whole load.</summary>
    public double? CacheFullAfterSeconds { get; init; }

    /// <summary>Whether each message is completed on its first delivery; otherwise, the backlog is unknown.</summary>
    public bool IsOrderly => !LosesLocks && CacheFullAfterSeconds is null;

    public required double BusiestNode { get; init; }
}
