using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Forecasts;

/// <summary>What the knobs of a stage imply, by formulas: the load is stepped through, and messages wait or are completed.</summary>
/// <param name="Figures">Figure → what it is predicted to be. A stage with these knobs is judged by them.</param>
/// <param name="Gap">Why there is no more of them, in a sentence; null: there is.</param>
internal sealed record Forecast(IReadOnlyDictionary<string, Expected> Figures, string? Gap)
{
    /// <summary>Share of all messages by which the formulas may miss a backlog.</summary>
    private const double BacklogError = 0.07;

    /// <summary>Share of the lock by which the longest wait has to differ from it, or nobody can say whether locks are lost.</summary>
    private const double LockError = 0.1;

    /// <summary>Share of the deliveries that fit by which the completed ones have to differ.</summary>
    private const double RoomError = 0.15;

    private static readonly Expected None = new(0), AtLeastOne = new(null, new Band(Min: 1));

    /// <summary>Before anything is played.</summary>
    public static Forecast Of(StagePlan plan) => Of(plan, plan.Profile, plan.MessagesAtStart);

    /// <param name="plan">The knobs.</param>
    /// <param name="profile">The load as it was played.</param>
    /// <param name="atStart">Messages that were in the queue when it began.</param>
    public static Forecast Of(StagePlan plan, StepProfile profile, double atStart)
    {
        if (plan.Options.Targets.Count > 0)
            return new(new Dictionary<string, Expected>(), "The application runs elsewhere, with CPU and latency of its own.");
        var setting = new Setting(plan.Knobs, plan.Environment, profile, plan.Options.Seed);
        if (setting.Gap is { } gap)
            return new(new Dictionary<string, Expected>(), gap);
        var flow = Flow.Of(setting, atStart, plan.ObserveSeconds);
        return new(Predict(profile, atStart, flow), Gap: null);
    }

    private static Dictionary<string, Expected> Predict(StepProfile profile, double atStart, Flow flow)
    {
        var figures = new Dictionary<string, Expected> { ["accepted"] = new(profile.ExpectedRequests) };
        if (flow.WaitPerLock > 1 - LockError)
            AddLostLocks(figures, flow);
        else if (flow.CompletedPerRoom > 1 - RoomError)
            AddFullCache(figures, flow);
        else
            AddHealthy(figures, flow, BacklogError * (profile.ExpectedRequests + atStart));
        return figures;
    }

    private static void AddHealthy(Dictionary<string, Expected> figures, Flow flow, double backlogError)
    {
        if (flow.HasPlateau)
            (figures["completed.plateau"], figures["node.busiest"]) = (new(flow.Plateau), new(flow.BusiestNode));
        figures["completed.underLoad"] = new(flow.Completed);
        var miss = Math.Max(backlogError, 0.15 * flow.Backlog);
        figures["backlog.loadEnd"] = new(flow.Backlog, new Band(Math.Max(0, flow.Backlog - miss), flow.Backlog + miss));
        figures["http.5xx"] = figures["redelivered"] = figures["deadLettered.final"] = None;
    }

    /// <summary>Whether it recovers, and when, the formulas do not say.</summary>
    private static void AddLostLocks(Dictionary<string, Expected> figures, Flow flow)
    {
        if (flow.HasPlateau)
            figures["completed.plateau"] = new(null, new Band(Max: 1.1 * flow.Limit));
        if (flow.WaitPerLock > 1 + LockError)
            figures["redelivered"] = AtLeastOne;
    }

    private static void AddFullCache(Dictionary<string, Expected> figures, Flow flow)
    {
        figures["completed.underLoad"] = new(flow.Completed);
        if (flow.CompletedPerRoom > 1 + RoomError)
            figures["http.5xx"] = AtLeastOne;
    }
}
