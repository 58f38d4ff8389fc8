using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the knobs of a stage imply: the model plays it a few times.</summary>
/// <param name="Figures">Figure → what it is predicted to be. A stage with these knobs is judged by them.</param>
/// <param name="Gap">Why there is no more of them, in a sentence; null: there is.</param>
internal sealed record Forecast(IReadOnlyDictionary<string, Expected> Figures, string? Gap)
{
    /// <summary>
    /// Share of all messages by which a backlog may be wrong: it is what is left of two large numbers, and rates may differ by more.
    /// </summary>
    private const double BacklogError = 0.07;

    /// <summary>Share by which a lock has to be too long or too short, or nobody can say whether one is lost: machines stall.</summary>
    private const double LockError = 0.1;

    private static readonly string[] Sums = ["unaccounted", "telemetry.unaccounted"];

    private const string Lock = "queue.lockDuration",
        Redelivered = "redelivered",
        Errors = "http.5xx",
        Dead = "deadLettered.final";

    private static readonly string[] Rates = ["completed.plateau", "completed.underLoad", "node.busiest"];
    private static readonly string[] Outage = ["backlog.max", "drain", Redelivered, "lockLost.any", Dead];
    private static readonly int[] Seeds = [1, 2, 3];

    /// <summary>More of them: what a process did in the moment in which it was killed is a matter of chance.</summary>
    private static readonly int[] SeedsOfOutage = [1, 2, 3, 4, 5, 6, 7, 8, 9];

    private static readonly Expected None = new(0),
        AtLeastOne = new(null, new Band(Min: 1));

    /// <summary>
    /// Whether every message stays in its queue. A supervisor moves dead letters elsewhere, and a hold completes a message whose copy comes
    /// later: then the sums over the queue cannot come out.
    /// </summary>
    public bool AddsUp { get; private init; } = true;

    public static Forecast Of(StagePlan plan) => Of(plan, plan.Profile, plan.MessagesAtStart);

    /// <param name="atStart">Messages that were in the queue when it began.</param>
    public static Forecast Of(StagePlan plan, StepProfile profile, long atStart)
    {
        // A request that was answered 503 while the broker stood still may be in the queue after all.
        var addsUp =
            plan.Knobs["workflow.supervisor"]?.Word != "on"
            && plan.Knobs["workflow.holdDuringOutage"]?.Word != "on"
            && plan.Options.Faults.All(it => it.Fault.Service != Fault.Broker);
        var gap = GapOf(plan);
        return new(gap is null ? FiguresOf(plan, profile, atStart) : new Dictionary<string, Expected>(), gap)
        {
            AddsUp = addsUp,
            AllIsTold = plan.Options.Faults.All(it => it.Fault.Kind != FaultKind.Kill),
        };
    }

    /// <summary>Whether every process lives to send its telemetry.</summary>
    public bool AllIsTold { get; private init; } = true;

    /// <summary>Whether a stage with these knobs is judged by a check of the published stage.</summary>
    public bool Judges(Check check) =>
        check.IsForAnyKnobs
        && (AddsUp || !Sums.Contains(check.Figure))
        && (AllIsTold || check.Figure != "telemetry.unaccounted");

    private static Dictionary<string, Expected> FiguresOf(StagePlan plan, StepProfile profile, long atStart)
    {
        var played = plan with { Profile = profile, Knobs = plan.Knobs.With("queue.messagesAtStart", atStart) };
        var hasFaults = plan.Options.Faults.Count > 0;
        var likely = SimulatedFigures.For(played, hasFaults ? SeedsOfOutage : Seeds);
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

    /// <summary>Why nobody predicts what these knobs imply, in a sentence; null: the model does.</summary>
    public static string? GapOf(StagePlan plan) =>
        plan.Options.Targets.Count > 0 ? "The application runs elsewhere, with CPU and latency of its own."
        : plan.Environment.Nodes is null || plan.Environment.Latency.Count == 0
            ? "Without emulated latency and nodes the rates are those of this machine."
        : plan.Knobs.Number("workflow.maxConcurrentCalls") > plan.Knobs.Number("http.concurrencyLimit")
            ? "Calls beyond http.concurrencyLimit wait or are refused."
        : SimulatedSetting.LeftOut(plan).FirstOrDefault();

    private static void AddOrderly(
        Dictionary<string, Expected> figures,
        IReadOnlyDictionary<string, SimulatedFigure> likely,
        long atStart
    )
    {
        figures[Redelivered] = None;
        if (likely[Errors].Max > 0)
        {
            // How often a call fails depends on how failures meet; that some do, and what fits before, does not.
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

    /// <summary>How long the queue gets while something is wrong, what is lost by that, and when the queue is empty again.</summary>
    private static void AddOutage(
        Dictionary<string, Expected> figures,
        IReadOnlyDictionary<string, SimulatedFigure> likely
    )
    {
        foreach (var name in Outage.Where(likely.ContainsKey))
            figures[name] = ByChance(likely[name]);
        // How often a call fails depends on how failures meet.
        if (likely[Errors].Min > 0)
            figures[Errors] = AtLeastOne;
    }

    /// <summary>Of a count that most of the simulations have none of, as many are possible as one of them had.</summary>
    private static Expected ByChance(SimulatedFigure likely) =>
        likely is { Median: 0, Max: >= 1 } ? new(0, new Band(0, likely.Max)) : new(likely.Median);

    /// <summary>How a collapse goes on is not judged: small differences at its beginning grow.</summary>
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
