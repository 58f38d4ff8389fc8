namespace DroneDelivery.Model.Planning;

/// <summary>What arithmetic says about a setting, without a simulation. Rates are per second.</summary>
public sealed record Plan
{
    // What is nearer than this to another limit binds with it.
    private const double Same = 1.001;

    /// <summary>Requests once all users are active, if answers come at once.</summary>
    public required double Incoming { get; init; }

    /// <summary>What handlers and nodes allow, the tightest first. Handlers that take no time allow any rate.</summary>
    public required IReadOnlyList<Limit> Limits { get; init; }

    /// <summary>Every limit, the load and those of the lock and of the stores too; the tightest first.</summary>
    public required IReadOnlyList<Limit> All { get; init; }

    /// <summary>Deliveries completed once all users are active, as long as no lock is lost and every store has room.</summary>
    public double Rate => Math.Min(Incoming, Limits[0].Rate);

    /// <summary>Deliveries completed for as long as one likes.</summary>
    public double Sustained => Binds.Rate;

    /// <summary>What decides the rate.</summary>
    public Limit Binds => All[0];

    /// <summary>What would, if that were not; null: nothing is known that would. Limits that bind together are one.</summary>
    public Limit? Next => All.FirstOrDefault(limit => limit.Rate > Binds.Rate * Same && limit.Rate > 0);

    /// <summary>The largest prefetch count with which a full buffer loses no lock; infinite: nothing takes time.</summary>
    public required double LargestPrefetch { get; init; }

    /// <summary>Half of it, and a message for each handler at least: a whole number, or infinite.</summary>
    public required double SafePrefetch { get; init; }

    /// <summary>Above this prefetch count nothing is completed any more once the buffers are full.</summary>
    public required double CollapsePrefetch { get; init; }

    /// <summary>Whether locks are lost: enough messages wait for long enough, and the buffers take more than the largest count.</summary>
    public required bool LosesLocks { get; init; }

    /// <summary>Whether nothing is completed any more once locks are lost.</summary>
    public required bool Collapses { get; init; }

    /// <summary>Messages that are not settled when the load ends, as long as no lock is lost.</summary>
    public required double Backlog { get; init; }

    /// <summary>Seconds until they are.</summary>
    public required double DrainSeconds { get; init; }

    /// <summary>When the cache is full, in seconds since the load began; null: it has room until the load ends.</summary>
    public double? CacheFullAfterSeconds { get; init; }

    /// <summary>Whether each message is completed when its turn comes; otherwise backlog and drain are not known.</summary>
    public bool IsOrderly => !LosesLocks && CacheFullAfterSeconds is null;

    /// <summary>Share of the CPU of the busiest node at this rate: 0–1.</summary>
    public required double BusiestNode { get; init; }
}
