using DroneDelivery.Lab.Load;

namespace DroneDelivery.Lab.Measurement;

/// <summary>What figures are computed from.</summary>
/// <param name="Series">Samples of the run.</param>
/// <param name="Profile">The load as it was run (shortened).</param>
/// <param name="BinSeconds">Width of a bin of charts and tables.</param>
/// <param name="Load">What the driver saw.</param>
/// <param name="Final">The queue after every process that settles was stopped, counted since the run began.</param>
/// <param name="AtStart">Messages in the queue when the load began.</param>
/// <param name="Errors">HTTP 5xx seen by clients or inside the application.</param>
internal sealed record Measured(
    Series Series, StepProfile Profile, double BinSeconds, LoadResult Load, QueueCounters Final, long AtStart, long Errors)
{
    /// <summary>Each point of the article's throughput graph is 5 s. The best of smaller bins would be higher by chance alone.</summary>
    private const double PeakBinSeconds = 5;

    private readonly IReadOnlyList<Bin> _loadBins =
        [.. Series.Bins(PeakBinSeconds, Profile.UsersAt).Where(bin => bin.End <= Profile.DurationSeconds + 1e-9)];

    /// <summary>Mean rate with all users there.</summary>
    public double Plateau(Func<Sample, double> counter) => Series.Rate(counter, Profile.PlateauStart, Profile.DurationSeconds);

    public double AtLoadEnd(Func<Sample, double> counter) => Series.At(counter, Profile.DurationSeconds);

    public double Peak(Func<Bin, double> rate) => _loadBins.Select(rate).DefaultIfEmpty(double.NaN).Max();
}

/// <summary>A number that a run is judged by.</summary>
/// <param name="Name">As in stage files and run.json.</param>
/// <param name="Unit">Empty for a count or a ratio.</param>
/// <param name="Meaning">One phrase.</param>
internal sealed record Figure(string Name, string Unit, string Meaning, Func<Measured, double> Of);

/// <summary>Every figure there is: the one place that says how it is computed.</summary>
internal static class FigureTable
{
    public static IReadOnlyList<Figure> All { get; } =
    [
        new("accepted", "", "requests answered with 202", run => run.Load.Accepted),
        new("http.5xx", "", "HTTP 5xx answers, to clients and between services", run => run.Errors),
        new("incoming.peak", "/s", "messages into the queue, best 5 s", run => run.Peak(bin => bin.Incoming)),
        new("incoming.plateau", "/s", "messages into the queue with all users", run => run.Plateau(sample => sample.Queue.Incoming)),
        new("outgoing.plateau", "/s", "messages handed out with all users", run => run.Plateau(sample => sample.Queue.Outgoing)),
        new("inOut.plateau", "", "incoming / outgoing with all users", run => run.Plateau(sample => sample.Queue.Incoming) / run.Plateau(sample => sample.Queue.Outgoing)),
        new("completed.peak", "/s", "messages completed, best 5 s", run => run.Peak(bin => bin.Completed)),
        new("completed.plateau", "/s", "messages completed with all users", run => run.Plateau(sample => sample.Queue.Completed)),
        new("completed.average", "/s", "messages completed, mean over the load", run => run.Series.Rate(sample => sample.Queue.Completed, 0, run.Profile.DurationSeconds)),
        new("completed.underLoad", "", "messages completed until the load ended", run => run.AtLoadEnd(sample => sample.Queue.Completed)),
        new("backlog.loadEnd", "", "messages not settled when the load ended", run => run.AtLoadEnd(sample => sample.Queue.Queued)),
        new("deadLettered.loadEnd", "", "messages dead-lettered until the load ended", run => run.AtLoadEnd(sample => sample.Queue.DeadLettered)),
        new("lockLost", "", "settlements refused because the lock was over", run => run.Final.LockLost),
        new("outgoing.perSent", "", "messages handed out / messages sent, until the load ended", run => run.AtLoadEnd(sample => sample.Queue.Outgoing) / run.Load.Accepted),
        new("unaccounted", "", "accepted − (completed + queued + dead-lettered)", run => run.AtStart + run.Load.Accepted - run.Final.Known),
    ];

    /// <summary>Figure → value.</summary>
    public static IReadOnlyDictionary<string, double> Of(Measured run) => All.ToDictionary(figure => figure.Name, figure => figure.Of(run));

    /// <exception cref="BadInputException">No figure of that name.</exception>
    public static Figure Find(string name) => All.FirstOrDefault(figure => figure.Name == name)
        ?? throw new BadInputException($"{name} is not a figure. There are: {string.Join(", ", All.Select(figure => figure.Name))}.");
}
