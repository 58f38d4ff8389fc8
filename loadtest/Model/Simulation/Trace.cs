using DroneDelivery.Model.Figures;

namespace DroneDelivery.Model.Simulation;

/// <summary>What came of a simulation.</summary>
public sealed record Trace
{
    /// <summary>The counters from the first request to the end, in order of time. The last is after every Workflow was stopped.</summary>
    public required IReadOnlyList<Sample> Samples { get; init; }

    /// <summary>Seconds; then every Workflow was stopped.</summary>
    public required double ObservedUntil { get; init; }

    /// <summary>Requests that were accepted.</summary>
    public required long Accepted { get; init; }

    /// <summary>Requests that nobody answered, because the replica of Ingestion was gone.</summary>
    public required long Failed { get; init; }

    /// <summary>
    /// Milliseconds from a handler's beginning with a message to the answer to its settlement: mean, median, 95th percentile.
    /// </summary>
    public required (double Mean, double P50, double P95) Process { get; init; }

    /// <summary>Seconds from acceptance to the answer to the completion, of each completed message; one of the start is from 0.</summary>
    public required IReadOnlyList<double> Ages { get; init; }

    /// <summary>Events that were planned: a few of them the end leaves out, and locks that end are none.</summary>
    public required long Events { get; init; }
}
