using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Stages;

/// <summary>A number that a stage is judged by.</summary>
/// <param name="Unit">Empty for a count or a ratio.</param>
internal sealed record Figure(string Name, Sources Needs, string Unit, string Meaning, Func<Measured, double> Of)
{
    // Counts differ by chance as far as twice the root of their sum, however equal the runs are.
    private const double Chance = 2;

    /// <summary>One number over another, or a share. Without it a figure that has no unit is a count.</summary>
    public bool IsRatio { get; init; }

    /// <summary>Whether it is the same however the knobs are turned.</summary>
    public bool IsForAnyKnobs => IsExact || Name == "unsettled.perPrefetch";

    /// <summary>Messages that nobody knows of: each of them is one too many.</summary>
    public bool IsExact => Name.EndsWith("unaccounted", StringComparison.Ordinal);

    /// <summary>Share by which two equal runs may differ: what the model expects of the real lab.</summary>
    public double Noise =>
        IsExact ? 0
        : Unit.Length > 0 ? 0.10
        : 0.15;

    /// <summary>
    /// Where a figure has to be that is predicted so: a share of the prediction, or what chance does to small values. No chance makes an
    /// event of none.
    /// </summary>
    public Band Around(double predicted, double measured)
    {
        var chance = predicted == 0 && IsCount ? 0 : Floor(predicted, measured);
        var allowed = Math.Max(Noise * Math.Abs(predicted), chance);
        return new(predicted - allowed, predicted + allowed);
    }

    /// <summary>Whether it is a number of messages, calls or the like.</summary>
    public bool IsCount => Unit.Length == 0 && !IsRatio;

    /// <summary>The difference that two equal runs with these values may have, in the figure's unit.</summary>
    public double NoiseOf(double first, double second) =>
        Math.Max(Noise * Math.Max(Math.Abs(first), Math.Abs(second)), Floor(first, second));

    /// <summary>What two equal runs may differ by however small both values are, in the figure's unit.</summary>
    public double Floor(double first, double second) =>
        Unit switch
        {
            _ when IsExact => 0,
            "/s" => 0.5,
            " %" => 3,
            "s" => 1,
            "ms" => 10,
            _ when IsRatio => 0.05,
            _ => Chance * Math.Sqrt(Math.Abs(first) + Math.Abs(second)),
        };
}

/// <summary>Every figure there is: the one place that says how it is computed.</summary>
internal static class FigureTable
{
    public static IReadOnlyList<Figure> All { get; } =
    [
        new("accepted", Sources.WholeStage, "", "requests answered with 202", run => run.Load.Accepted),
        new("incoming.peak", Sources.Rates, "/s", "messages into the queue, best 5 s", run =>
            run.Peak(bin => bin.Incoming)
        ),
        new("incoming.plateau", Sources.Rates, "/s", "messages into the queue once all users are active", run =>
            run.Plateau(sample => sample.Queue.Incoming)
        ),
        new(
            "http.5xx",
            Sources.Errors | Sources.WholeStage,
            "",
            "HTTP 5xx answers, to clients and between services",
            run => run.Errors
        ),
        new(
            "http.5xx.outOfMemory",
            Sources.ErrorsOverTime,
            "",
            "HTTP 5xx answers because Redis had no memory left, until the load ended",
            run => run.AtLoadEnd(sample => sample.OutOfMemory)
        ),
        Ratio("http.5xx.first", Sources.ErrorsOverTime, "time of the first of those, as a share of the load", run =>
            run.First(sample => sample.OutOfMemory) / run.Profile.DurationSeconds
        ),
        new("outgoing.plateau", Sources.Deliveries, "/s", "messages delivered once all users are active", run =>
            run.Plateau(sample => sample.Queue.Outgoing)
        ),
        new(
            "outgoing.beforeFull",
            Sources.Deliveries | Sources.ErrorsOverTime,
            "/s",
            "messages delivered before the cache was full",
            run => run.BeforeFull(sample => sample.Queue.Outgoing)
        ),
        new(
            "outgoing.afterFull",
            Sources.Deliveries | Sources.ErrorsOverTime,
            "/s",
            "messages delivered once the cache was full",
            run => run.AfterFull(sample => sample.Queue.Outgoing)
        ),
        Ratio(
            "outgoing.afterPerBefore",
            Sources.Deliveries | Sources.ErrorsOverTime,
            "messages delivered, after / before the cache was full",
            run => run.AfterFull(sample => sample.Queue.Outgoing) / run.BeforeFull(sample => sample.Queue.Outgoing)
        ),
        new(
            "outgoing.afterLoad",
            Sources.Deliveries | Sources.WholeStage,
            "/s",
            "messages delivered after the load ended, while Workflow ran",
            run => run.AfterLoad(sample => sample.Queue.Outgoing)
        ),
        new("outgoing.underLoad", Sources.Deliveries, "", "messages delivered until the load ended", run =>
            run.AtLoadEnd(sample => sample.Queue.Outgoing)
        ),
        new("outgoing.distinct", Sources.Deliveries, "", "different messages delivered until the load ended", run =>
            run.AtLoadEnd(sample => sample.Queue.Distinct)
        ),
        Ratio("outgoing.perSent", Sources.Deliveries, "messages delivered / messages sent, until the load ended", run =>
            run.PerSent(sample => sample.Queue.Outgoing)
        ),
        Ratio(
            "outgoing.perDistinct",
            Sources.Deliveries,
            "messages delivered / different messages delivered, until the load ended",
            run => run.AtLoadEnd(sample => sample.Queue.Outgoing) / run.AtLoadEnd(sample => sample.Queue.Distinct)
        ),
        Ratio("inOut.plateau", Sources.Deliveries, "incoming / outgoing once all users are active", run =>
            run.Plateau(sample => sample.Queue.Incoming) / run.Plateau(sample => sample.Queue.Outgoing)
        ),
        new("redelivered", Sources.Deliveries | Sources.WholeStage, "", "messages redelivered", run =>
            run.Series.Last.Queue.Redelivered
        ),
        Ratio(
            "unsettled.perPrefetch",
            Sources.Deliveries,
            "most messages that a receiver ever held / prefetch count, or concurrent calls without prefetch",
            run => run.Series.Samples.Max(sample => sample.Queue.MaxUnsettled) / (double)run.HeldAtMost
        ),
        new("completed.peak", Sources.Rates, "/s", "messages completed, best 5 s", run =>
            run.Peak(bin => bin.Completed)
        ),
        new("completed.plateau", Sources.Rates, "/s", "messages completed once all users are active", run =>
            run.Plateau(sample => sample.Queue.Completed)
        ),
        new("completed.average", Sources.Rates, "/s", "messages completed, mean over the load", run =>
            run.UnderLoad(sample => sample.Queue.Completed)
        ),
        new("completed.lastThird", Sources.Rates, "/s", "messages completed in the last third of the load", run =>
            run.LastThird(sample => sample.Queue.Completed)
        ),
        new(
            "completed.afterFull",
            Sources.Rates | Sources.ErrorsOverTime,
            "/s",
            "messages completed once the cache was full",
            run => run.AfterFull(sample => sample.Queue.Completed)
        ),
        new("completed.underLoad", Sources.Rates, "", "messages completed until the load ended", run =>
            run.AtLoadEnd(sample => sample.Queue.Completed)
        ),
        Ratio("completed.perSent", Sources.Rates, "messages completed / messages sent, until the load ended", run =>
            run.PerSent(sample => sample.Queue.Completed)
        ),
        new("backlog.loadEnd", Sources.Stocks, "", "messages not settled when the load ended", run =>
            run.AtLoadEnd(sample => sample.Queue.Queued)
        ),
        new("backlog.max", Sources.Stocks, "", "most messages not settled at a time", run =>
            run.Series.Samples.Max(sample => sample.Queue.Queued)
        ),
        new("backlog.slope", Sources.Stocks, "/s", "growth of the backlog once all users are active", run =>
            run.Series.Slope(sample => sample.Queue.Queued, run.Profile.PlateauStart, run.Profile.DurationSeconds)
        ),
        Ratio(
            "backlog.perPlateau",
            Sources.Rates,
            "backlog at the end / (incoming rate of all users × length of the load)",
            run =>
                run.AtLoadEnd(sample => sample.Queue.Queued)
                / (run.Plateau(sample => sample.Queue.Incoming) * run.Profile.DurationSeconds)
        ),
        new("backlog.seconds", Sources.Rates, "s", "backlog at the end, in seconds of incoming messages", run =>
            run.AtLoadEnd(sample => sample.Queue.Queued) / run.Plateau(sample => sample.Queue.Incoming)
        ),
        new(
            "drain",
            Sources.Stocks | Sources.WholeStage,
            "s",
            "time from the end of the load until the queue was empty",
            run => run.Drain
        ),
        Ratio("drain.perLoad", Sources.Stocks | Sources.WholeStage, "that time / length of the load", run =>
            run.Drain / run.Profile.DurationSeconds
        ),
        new(
            "lockLost",
            Sources.Deliveries,
            "",
            "completions refused because the lock had expired, until the load ended",
            run => run.AtLoadEnd(sample => sample.Queue.LateCompletes)
        ),
        Ratio("lockLost.perSent", Sources.Deliveries, "those / messages sent", run =>
            run.PerSent(sample => sample.Queue.LateCompletes)
        ),
        new(
            "lockLost.any",
            Sources.Deliveries | Sources.WholeStage,
            "",
            "settlements refused because the lock had expired",
            // A renewal that arrives when its message has just been completed is refused, too, but nothing is lost by that.
            run => run.Final.LateCompletes + run.Final.LateDeadLetters
        ),
        new("lockLost.first", Sources.Deliveries, "s", "when the first of the completions was refused", run =>
            run.First(sample => sample.Queue.LateCompletes)
        ),
        Ratio("lockLost.firstPerLoad", Sources.Deliveries, "that time / length of the load", run =>
            run.First(sample => sample.Queue.LateCompletes) / run.Profile.DurationSeconds
        ),
        new("deadLettered.loadEnd", Sources.Stocks, "", "messages dead-lettered until the load ended", run =>
            run.AtLoadEnd(sample => sample.Queue.DeadLettered)
        ),
        new(
            "deadLettered.final",
            Sources.Stocks | Sources.WholeStage,
            "",
            "messages dead-lettered until the end",
            run => run.Final.DeadLettered
        ),
        Ratio(
            "deadLettered.perSent",
            Sources.Stocks,
            "messages dead-lettered / messages sent, until the load ended",
            run => run.PerSent(sample => sample.Queue.DeadLettered)
        ),
        Ratio(
            "deadLetter.refusedPerSent",
            Sources.Deliveries,
            "DeadLetter calls refused because the lock had expired / messages sent, until the load ended",
            run => run.PerSent(sample => sample.Queue.LateDeadLetters)
        ),
        new(
            "node.p95",
            Sources.Nodes,
            " %",
            "CPU of the virtual nodes, 95th percentile over nodes and bins under load",
            run => Percentiles.Of(run.NodeBins).P95
        ),
        new("node.highest", Sources.Nodes, " %", "CPU of the busiest virtual node in its busiest bin", run =>
            run.NodeBins.DefaultIfEmpty(double.NaN).Max()
        ),
        new("node.busiest", Sources.Nodes, " %", "CPU of the busiest virtual node once all users are active", run =>
            run.BusiestNode
        ),
        new("machine.cpu", Sources.Nodes, " %", "CPU of the real machine, mean over the load", run =>
            run.Machine * 100
        ),
        new(
            "machine.steal",
            Sources.Nodes,
            " %",
            "CPU of the real machine that a hypervisor took away, mean over the load",
            run => run.Stolen * 100
        ),
        new(
            "machine.pressure",
            Sources.Nodes,
            " %",
            "share of the load in which a runnable task waited for a real CPU",
            run => run.Pressure * 100
        ),
        new(
            "holds.late",
            Sources.Nodes,
            " %",
            "share of the emulated CPU reservations that ended more than 5 ms late, over the load",
            run => run.LateHolds * 100
        ),
        new(
            "cpu.application",
            Sources.Nodes,
            " %",
            "real CPU of the services, the broker and Redis, mean over the load, of one core",
            run => run.UnderLoad(sample => sample.ApplicationCpu) * 100
        ),
        new(
            "cpu.lab",
            Sources.Nodes,
            " %",
            "real CPU of the lab (gates, collector, sampling) and its load, of one core",
            run => run.UnderLoad(sample => sample.LabCpu) * 100
        ),
        Ratio(
            "cpu.labPerApplication",
            Sources.Nodes,
            "real CPU of the lab and its load / that of the application",
            run => run.UnderLoad(sample => sample.LabCpu) / run.UnderLoad(sample => sample.ApplicationCpu)
        ),
        new(
            "unaccounted",
            Sources.Deliveries,
            "",
            "in the queue at the start + accepted − (completed + queued + dead-lettered)",
            run => run.Unaccounted
        ),
        .. TelemetryFigures.All.Select(figure => new Figure(
            figure.Name,
            figure.Needs,
            figure.Unit,
            figure.Meaning,
            run => run.Telemetry.GetValueOrDefault(figure.Name, double.NaN)
        )),
    ];

    private static Figure Ratio(string name, Sources needs, string meaning, Func<Measured, double> of) =>
        new(name, needs, "", meaning, of) { IsRatio = true };

    /// <summary>Figure → value; without those that could not be known.</summary>
    public static IReadOnlyDictionary<string, double> Of(Measured run) =>
        All.Where(figure => run.Told.HasFlag(figure.Needs))
            .ToDictionary(figure => figure.Name, figure => figure.Of(run));

    public static Figure Find(string name) =>
        All.FirstOrDefault(figure => figure.Name == name)
        ?? throw new BadInputException(
            $"{name} is not a figure. There are: {string.Join(", ", All.Select(figure => figure.Name))}."
        );
}
