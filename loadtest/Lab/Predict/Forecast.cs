using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>The prediction for the settings of a stage, from several simulations.</summary>
/// <param name="Figures">The expected values by metric.</param>
/// <param name="Gap">Why some metrics have no prediction, or <c>null</c>.</param>
internal sealed record Forecast(IReadOnlyDictionary<string, Expected> Figures, string? Gap)
{
    /// <summary>The error relative to all messages; high, because a backlog is the difference of two large numbers.</summary>
    private const double BacklogError = 0.07;

    /// <summary>The relative margin within which the expiry of a lock can't be predicted, because machines stall.</summary>
    private const double LockError = 0.1;

    private static readonly string[] Sums = ["unaccounted", "telemetry.unaccounted"];

    private const string Lock = "queue.lockDuration",
        Redelivered = "redelivered",
        Errors = "http.5xx",
        Dead = "deadLettered.final";

    private static readonly string[] Rates = ["completed.plateau", "completed.underLoad", "node.busiest"];
    private static readonly string[] Outage = ["backlog.max", "drain", Redelivered, "lockLost.any", Dead];
    private static readonly int[] Seeds = [1, 2, 3];

    /// <summary>More, because the work in progress of a killed process is random.</summary>
    private static readonly int[] OutageSeeds = [1, 2, 3, 4, 5, 6, 7, 8, 9];

    private static readonly Expected None = new(0),
        AtLeastOne = new(null, new Band(Min: 1));

    /// <summary>
    /// Whether all messages stay in the queue. A supervisor moves dead letters, and a hold during an outage completes messages whose copies
    /// arrive later.
    /// </summary>
    public bool AddsUp { get; private init; } = true;

    public static Forecast Of(StagePlan plan) => Of(plan, plan.Profile, plan.MessagesAtStart);

    public static Forecast Of(StagePlan plan, StepProfile profile, long atStart)
    {
        // A request with a 503 response during a broker pause can still be in the queue.
        var addsUp =
            plan.Knobs["workflow.supervisor"]?.Word != "on"
            && plan.Knobs["workflow.holdDuringOutage"]?.Word != "on"
            && plan.Options.Faults.All(fault => fault.Fault.Service != Fault.Broker);
        var gap = GapOf(plan);
        return new(gap is null ? FiguresOf(plan, profile, atStart) : new Dictionary<string, Expected>(), gap)
        {
            AddsUp = addsUp,
            HasAllTelemetry = plan.Options.Faults.All(fault => fault.Fault.Kind != FaultKind.Kill),
        };
    }

    /// <summary>Whether every process exits normally and sends all its telemetry.</summary>
    public bool HasAllTelemetry { get; private init; } = true;

    /// <summary>Returns whether a check applies to these settings.</summary>
    public bool Judges(Check check) =>
        check.IsForAnyKnobs
        && (AddsUp || !Sums.Contains(check.Figure))
        && (HasAllTelemetry || check.Figure != "telemetry.unaccounted");

    private static Dictionary<string, Expected> FiguresOf(StagePlan plan, StepProfile profile, long atStart)
    {
        var played = plan with { Profile = profile, Knobs = plan.Knobs.With("queue.messagesAtStart", atStart) };
        var hasFaults = plan.Options.Faults.Count > 0;
        var likely = SimulatedFigures.For(played, hasFaults ? OutageSeeds : Seeds);
        double[] lost =
        [
            likely[Redelivered].Min,
            likely[Redelivered].Max,
            LostWith(played, 1 - LockError),
            LostWith(played, 1 + LockError),
        ];
        var figures = new Dictionary<string, Expected> { ["accepted"] = new(likely["accepted"].Median) };
        if (hasFaults)
            AddOutage(figures, likely);
        else if (Array.TrueForAll(lost, count => count == 0))
            AddOrderly(figures, likely, atStart);
        else
            AddCollapse(figures, likely, isSure: Array.TrueForAll(lost, count => count > 0));
        return figures;
    }

    /// <summary>Returns why no prediction is available, in a sentence, or <c>null</c>.</summary>
    public static string? GapOf(StagePlan plan) =>
        plan.Options.Targets.Count > 0 ? "The application runs elsewhere, with its own CPU and latency."
        : plan.Environment.Nodes is null || plan.Environment.Latency.Count == 0
            ? "Without emulated latency and nodes, the rates depend on this machine."
        : plan.Knobs.Number("workflow.maxConcurrentCalls") > plan.Knobs.Number("http.concurrencyLimit")
            ? "Calls above http.concurrencyLimit wait or are rejected."
        : SimulatedSetting.NotSimulated(plan).FirstOrDefault();

    private static void AddOrderly(
        Dictionary<string, Expected> figures,
        IReadOnlyDictionary<string, SimulatedFigure> likely,
        long atStart
    )
    {
        figures[Redelivered] = None;
        if (likely[Errors].Max > 0)
        {
            // The number of failures depends on how they coincide.
            if (likely[Errors].Min > 0)
            {
                (figures[Errors], figures["completed.underLoad"]) = (
                    AtLeastOne,
                    new(likely["completed.underLoad"].Median)
                );
            }

            return;
        }
        figures[Errors] = figures[Dead] = None;
        foreach (var name in Rates.Where(likely.ContainsKey))
            figures[name] = new(likely[name].Median);
        var (backlog, all) = (likely["backlog.loadEnd"].Median, atStart + likely["accepted"].Median);
        var miss = Math.Max(0.15 * backlog, BacklogError * all);
        figures["backlog.loadEnd"] = new(backlog, new Band(Math.Max(0, backlog - miss), backlog + miss));
    }

    /// <summary>Adds the queue length, the losses, and the time until the queue is empty again.</summary>
    private static void AddOutage(
        Dictionary<string, Expected> figures,
        IReadOnlyDictionary<string, SimulatedFigure> likely
    )
    {
        foreach (var name in Outage.Where(likely.ContainsKey))
            figures[name] = RandomRange(likely[name]);
        if (likely[Errors].Min > 0)
            figures[Errors] = AtLeastOne;
    }

    /// <summary>Returns the range of a count that is zero in most simulations.</summary>
    private static Expected RandomRange(SimulatedFigure likely) =>
        likely is { Median: 0, Max: >= 1 } ? new(0, new Band(0, likely.Max)) : new(likely.Median);

    /// <summary>Adds the start of a collapse. Small initial differences grow, so its course isn't checked.</summary>
    private static void AddCollapse(
        Dictionary<string, Expected> figures,
        IReadOnlyDictionary<string, SimulatedFigure> likely,
        bool isSure
    )
    {
        if (isSure)
            figures[Redelivered] = AtLeastOne;
        if (
            likely.TryGetValue("incoming.plateau", out var incoming)
            && likely.TryGetValue("completed.peak", out var peak)
        )
        {
            figures["completed.plateau"] = new(null, new Band(Max: 1.1 * Math.Max(incoming.Max, peak.Max)));
        }
    }

    private static double LostWith(StagePlan plan, double share) =>
        FigureTable.Of(
            SimulatedStage.Play(
                plan with
                {
                    Knobs = plan.Knobs.With(Lock, share * plan.Knobs.Number(Lock, 60)),
                },
                Seeds[0]
            )
        )[Redelivered];
}
