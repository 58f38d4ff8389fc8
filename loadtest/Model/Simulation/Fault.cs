namespace DroneDelivery.Model.Simulation;

/// <summary>What goes wrong.</summary>
public enum FaultKind
{
    /// <summary>
    /// A replica's process ends at once. What it has received stays locked until the lock ends; calls to it are refused, and those under
    /// way fail.
    /// </summary>
    Kill,

    /// <summary>A back end's answers, or the broker's to settlements, take so many times as long.</summary>
    Slow,

    /// <summary>A share of a back end's answers are errors of the server.</summary>
    Fail,

    /// <summary>The last back end has no memory for anything.</summary>
    FillCache,

    /// <summary>The cache doesn't answer. A call that waits for it fails after <see cref="Fault.CacheTimeoutSeconds"/>.</summary>
    PauseCache,

    /// <summary>The broker's process stands still. Locks go on ending.</summary>
    PauseBroker,
}

/// <summary>Something goes wrong for a while.</summary>
/// <param name="FromSeconds">When it begins, after the first request.</param>
/// <param name="ToSeconds">When it is over; infinite: never. A pause has to end.</param>
public sealed record Fault(FaultKind Kind, double FromSeconds, double ToSeconds = double.PositiveInfinity)
{
    public const int Ingestion = -2,
        Workflow = -1,
        Broker = -3;

    /// <summary>Index of a back end, or one of the constants.</summary>
    public int Service { get; init; }

    /// <summary>Of a service that is killed.</summary>
    public int Replica { get; init; }

    /// <summary>By which answers of a slow service take longer.</summary>
    public double Factor { get; init; } = 1;

    /// <summary>Of the answers that are errors: 0 to 1.</summary>
    public double Share { get; init; }

    /// <summary>How long the last back end waits for a cache that is paused.</summary>
    public double CacheTimeoutSeconds { get; init; } = 2;
}
