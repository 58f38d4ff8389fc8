namespace DroneDelivery.Simulation;

/// <summary>What came of a simulation.</summary>
public sealed record Trace
{
    /// <summary>The counters from the first request to the end, in order of time. The last is after every Workflow was stopped.</summary>
    public required IReadOnlyList<Moment> Moments { get; init; }

    /// <summary>Seconds; then every Workflow was stopped.</summary>
    public required double ObservedUntil { get; init; }

    /// <summary>Requests that were accepted.</summary>
    public required long Accepted { get; init; }

    /// <summary>Requests that nobody answered, because the replica of Ingestion was gone.</summary>
    public required long Failed { get; init; }

    /// <summary>The most messages that one receiver ever held.</summary>
    public required int MostHeld { get; init; }

    /// <summary>
    /// Milliseconds from a handler's beginning with a message to the answer to its settlement: mean, median, 95th percentile.
    /// </summary>
    public required (double Mean, double P50, double P95) Process { get; init; }

    /// <summary>Events that were simulated.</summary>
    public required long Events { get; init; }
}

/// <summary>The counters at one moment, counted from the beginning.</summary>
public sealed record Moment
{
    /// <summary>Seconds since the first request.</summary>
    public required double At { get; init; }

    public required long Incoming { get; init; }

    /// <summary>Messages handed out; one that is handed out again counts again.</summary>
    public required long Outgoing { get; init; }

    /// <summary>Messages handed out after a delivery of them had failed.</summary>
    public required long Redelivered { get; init; }

    public required long Completed { get; init; }

    public required long Abandoned { get; init; }

    /// <summary>By Workflow, or because of too many deliveries.</summary>
    public required long DeadLettered { get; init; }

    /// <summary>Settlements and renewals refused because the lock was over.</summary>
    public required long LockLost { get; init; }

    /// <summary>Completions among those.</summary>
    public required long LateCompletes { get; init; }

    /// <summary>Dead-letterings among those.</summary>
    public required long LateDeadLetters { get; init; }

    public required long ExpiredLocks { get; init; }

    /// <summary>Messages that wait for a receiver.</summary>
    public required long Active { get; init; }

    /// <summary>Messages that a receiver holds.</summary>
    public required long Locked { get; init; }

    /// <summary>Calls that failed because the cache was full.</summary>
    public required long CacheFailures { get; init; }

    /// <summary>Node → seconds for which all of its CPUs were busy.</summary>
    public required IReadOnlyList<double> NodesBusy { get; init; }
}
