using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Stages;

/// <summary>A metric of a stage.</summary>
/// <param name="Unit">Empty for a count or ratio.</param>
internal sealed record Figure(string Name, Sources Needs, string Unit, string Meaning, Func<Measured, double> Of)
{
    // Counts of equal runs differ randomly by up to twice the square root of their sum.
    private const double Chance = 2;

    /// <summary>Whether it is a ratio or share; otherwise, a metric without a unit is a count.</summary>
    public bool IsRatio { get; init; }

    /// <summary>Whether its range applies to all settings.</summary>
    public bool IsForAnyKnobs => IsExact || Name == "unsettled.perPrefetch";

    /// <summary>Whether it counts missing messages, which must be exactly zero.</summary>
    public bool IsExact => Name.EndsWith("unaccounted", StringComparison.Ordinal);

    /// <summary>The relative difference that equal runs can have, which is also the tolerance of predictions.</summary>
    public double Noise =>
        IsExact ? 0
        : Unit.Length > 0 ? 0.10
        : 0.15;

    /// <summary>Returns the range for a prediction. A prediction of no events has no tolerance.</summary>
    public Band Around(double predicted, double measured)
    {
        var chance = predicted == 0 && IsCount ? 0 : Floor(predicted, measured);
        var allowed = Math.Max(Noise * Math.Abs(predicted), chance);
        return new(predicted - allowed, predicted + allowed);
    }

    public bool IsCount => Unit.Length == 0 && !IsRatio;

    /// <summary>Returns the difference that equal runs can have, in the metric's unit.</summary>
    public double NoiseOf(double first, double second) =>
        Math.Max(Noise * Math.Max(Math.Abs(first), Math.Abs(second)), Floor(first, second));

    /// <summary>Returns the smallest difference that equal runs can have, which applies to small values.</summary>
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

/// <summary>All metrics and their calculation.</summary>
internal static class FigureTable
{
    public static IReadOnlyList<Figure> All { get; } =
    [
        new("accepted", Sources.WholeStage, "", "requests accepted (202)", run => run.Load.Accepted),
        new("incoming.peak", Sources.Rates, "/s", "messages into the queue, best 5 s", run =>
            run.Peak(bin => bin.Incoming)
        ),
        new("incoming.plateau", Sources.Rates, "/s", "messages into the queue at full load", run =>
            run.Plateau(sample => sample.Queue.Incoming)
        ),
        new(
            "http.5xx",
            Sources.Errors | Sources.WholeStage,
            "",
            "HTTP 5xx responses to clients and between services",
            run => run.Errors
        ),
        new(
            "http.5xx.outOfMemory",
            Sources.ErrorsOverTime,
            "",
            "HTTP 5xx responses because Redis was out of memory, until the load ended",
            run => run.AtLoadEnd(sample => sample.OutOfMemory)
        ),
        Ratio("http.5xx.first", Sources.ErrorsOverTime, "time of the first of those, as a share of the load", run =>
            run.First(sample => sample.OutOfMemory) / run.Profile.DurationSeconds
        ),
        new("outgoing.plateau", Sources.Deliveries, "/s", "messages delivered at full load", run =>
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
        Ratio("inOut.plateau", Sources.Deliveries, "incoming / outgoing at full load", run =>
            run.Plateau(sample => sample.Queue.Incoming) / run.Plateau(sample => sample.Queue.Outgoing)
        ),
        new("redelivered", Sources.Deliveries | Sources.WholeStage, "", "messages redelivered", run =>
            run.Series.Last.Queue.Redelivered
        ),
        Ratio(
            "unsettled.perPrefetch",
            Sources.Deliveries,
            "maximum messages held by a receiver / prefetch count, or concurrent calls without prefetch",
            run => run.Series.Samples.Max(sample => sample.Queue.MaxUnsettled) / (double)run.HeldAtMost
        ),
        new("completed.peak", Sources.Rates, "/s", "messages completed, best 5 s", run =>
            run.Peak(bin => bin.Completed)
        ),
        new("completed.plateau", Sources.Rates, "/s", "messages completed at full load", run =>
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
        new("backlog.loadEnd", Sources.Stocks, "", "unsettled messages when the load ended", run =>
            run.AtLoadEnd(sample => sample.Queue.Queued)
        ),
        new("backlog.max", Sources.Stocks, "", "maximum number of unsettled messages", run =>
            run.Series.Samples.Max(sample => sample.Queue.Queued)
        ),
        new("backlog.slope", Sources.Stocks, "/s", "growth of the backlog at full load", run =>
            run.Series.Slope(sample => sample.Queue.Queued, run.Profile.PlateauStart, run.Profile.DurationSeconds)
        ),
        Ratio(
            "backlog.perPlateau",
            Sources.Rates,
            "backlog at the end / (incoming rate at full load × length of the load)",
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
            "completions rejected because the lock had expired, until the load ended",
            run => run.AtLoadEnd(sample => sample.Queue.LateCompletes)
        ),
        Ratio("lockLost.perSent", Sources.Deliveries, "those / messages sent", run =>
            run.PerSent(sample => sample.Queue.LateCompletes)
        ),
        new(
            "lockLost.any",
            Sources.Deliveries | Sources.WholeStage,
            "",
            "settlements rejected because the lock had expired",
            // A renewal can be rejected because its message was just completed, which loses nothing.
            run => run.Final.LateCompletes + run.Final.LateDeadLetters
        ),
        new("lockLost.first", Sources.Deliveries, "s", "time of the first rejected completion", run =>
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
            "DeadLetter calls rejected because the lock had expired / messages sent, until the load ended",
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
        new("node.busiest", Sources.Nodes, " %", "CPU of the busiest virtual node at full load", run =>
            run.BusiestNode
        ),
        new("machine.cpu", Sources.Nodes, " %", "CPU of the real machine, mean over the load", run =>
            run.Machine * 100
        ),
        new(
            "machine.steal",
            Sources.Nodes,
            " %",
            "CPU of the real machine stolen by a hypervisor, mean over the load",
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

    public static IReadOnlyDictionary<string, double> Of(Measured run) =>
        All.Where(figure => run.Told.HasFlag(figure.Needs))
            .ToDictionary(figure => figure.Name, figure => figure.Of(run));

    public static Figure Find(string name) =>
        All.FirstOrDefault(figure => figure.Name == name)
        ?? throw new BadInputException(
            $"{name} is not a figure. Expected one of: {string.Join(", ", All.Select(figure => figure.Name))}."
        );
}
