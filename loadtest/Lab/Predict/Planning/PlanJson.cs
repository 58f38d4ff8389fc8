using System.Text.Json;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

/// <summary>Plans for scripts: an object for each stage. What is infinite or not known is null.</summary>
internal static class PlanJson
{
    private static readonly JsonSerializerOptions Indented = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static string Of(IEnumerable<PlannedStage> plans) =>
        JsonSerializer.Serialize(plans.ToDictionary(plan => plan.Stage.Stage.Id, Of), Indented);

    private static object Of(PlannedStage plan)
    {
        var formulas = plan.Formulas;
        return new
        {
            k = plan.Stage.K,
            incoming = formulas.Incoming,
            rate = formulas.Sustained,
            binds = Of(formulas.Binds),
            next = formulas.Next is { } next ? Of(next) : null,
            limits = formulas.All.Select(Of),
            prefetch = plan.Setting.Handling.Prefetch,
            largestPrefetch = Finite(Math.Floor(formulas.LargestPrefetch)),
            safePrefetch = Finite(formulas.SafePrefetch),
            safePrefetchAsTyped = Finite(plan.FullLength.SafePrefetch),
            collapsePrefetch = Finite(Math.Floor(formulas.CollapsePrefetch)),
            losesLocks = formulas.LosesLocks,
            collapses = formulas.Collapses,
            backlog = formulas.IsOrderly ? Finite(formulas.Backlog) : null,
            drainSeconds = formulas.IsOrderly ? Finite(formulas.DrainSeconds) : null,
            cacheFullAfterSeconds = formulas.CacheFullAfterSeconds,
            busiestNode = Finite(formulas.BusiestNode),
            burst = plan.AfterBurst is { } burst ? Of(burst) : null,
            target = plan.Wanted is { } wanted ? Of(wanted) : null,
            redisBytes = Finite(Math.Round(plan.Redis)),
            cost = CostText.Json(plan.Cost, plan.Questions.Prices),
            simulated = plan.Simulated.ToDictionary(
                figure => figure.Key, figure => new { figure.Value.Median, figure.Value.Min, figure.Value.Max }),
        };
    }

    private static object Of(Burst burst) =>
        new { seconds = Finite(burst.Seconds), losesLocks = burst.LosesLocks, waitSeconds = Finite(burst.WaitSeconds) };

    private static object Of((TargetLayout? Layout, Limit Binds) wanted) => new
    {
        isPossible = wanted.Layout is not null,
        nodes = wanted.Layout?.Nodes,
        replicas = wanted.Layout?.Replicas,
        rate = wanted.Layout is { } layout ? Finite(layout.Rate) : null,
        binds = Of(wanted.Binds),
    };

    private static object Of(Limit limit) => new
    {
        kind = PlanText.Kind(limit),
        what = PlanText.What(limit),
        rate = Finite(limit.Rate),
        node = limit.Node,
        service = limit.Node is null ? null : PlanText.ServiceOf(limit),
    };

    private static double? Finite(double value) => double.IsFinite(value) ? value : null;
}
