namespace DroneDelivery.Model.Simulation;

public enum FaultKind
{
    /// <summary>A replica's process exits. Its messages stay locked until their locks expire; calls to it fail.</summary>
    Kill,

    /// <summary>A back end's responses, or the broker's to settlements, take <see cref="Fault.Factor"/> times as long.</summary>
    Slow,

    /// <summary>A share of a back end's responses are server errors.</summary>
    Fail,

    /// <summary>The cache, which the last back end uses, is full.</summary>
    FillCache,

    /// <summary>The cache doesn't respond. A waiting call fails after <see cref="Fault.CacheTimeoutSeconds"/>.</summary>
    PauseCache,

    /// <summary>The broker's process is suspended. Locks still expire.</summary>
    PauseBroker,
}

/// <summary>An injected fault.</summary>
/// <param name="ToSeconds">Infinite if the fault is permanent. A pause must end.</param>
public sealed record Fault(FaultKind Kind, double FromSeconds, double ToSeconds = double.PositiveInfinity)
{
    public const int Ingestion = -2,
        Workflow = -1,
        Broker = -3;

    /// <summary>The index of a back end, or one of the constants.</summary>
    public int Service { get; init; }

    public int Replica { get; init; }

    public double Factor { get; init; } = 1;

    public double Share { get; init; }

    /// <summary>The timeout of the last back end's calls to a paused cache.</summary>
    public double CacheTimeoutSeconds { get; init; } = 2;
}
