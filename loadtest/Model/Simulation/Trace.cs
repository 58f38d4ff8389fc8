using DroneDelivery.Model.Figures;

namespace DroneDelivery.Model.Simulation;

public sealed record Trace
{
    /// <summary>The counters over time; the last sample is after every Workflow has stopped.</summary>
    public required IReadOnlyList<Sample> Samples { get; init; }

    /// <summary>When every Workflow was stopped, in seconds.</summary>
    public required double ObservedUntil { get; init; }

    public required long Accepted { get; init; }

    /// <summary>Requests without a response, because the replica had exited.</summary>
    public required long Failed { get; init; }

    /// <summary>Milliseconds from the start of a handler to the response to its settlement; P95 is the 95th percentile.</summary>
    public required (double Mean, double P50, double P95) Process { get; init; }

    /// <summary>
    /// Seconds from the acceptance of each message to the response to its completion; 0 for the acceptance of initial messages.
    /// </summary>
    public required IReadOnlyList<double> Ages { get; init; }

    /// <summary>Scheduled events, without lock expirations.</summary>
    public required long Events { get; init; }
}
