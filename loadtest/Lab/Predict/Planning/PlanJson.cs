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
        JsonSerializer.Serialize(plans.ToDictionary(plan => plan.Stage.Stage.Id, plan => Of(plan)), Indented);

    /// <summary>A system of somebody's own.</summary>
    public static string Of(string name, PlannedSetting plan) =>
        JsonSerializer.Serialize(new Dictionary<string, object> { [name] = FieldsOf(plan) }, Indented);

    private static Dictionary<string, object?> Of(PlannedStage plan) => new(FieldsOf(plan))
    {
        ["k"] = plan.Stage.K,
        ["burst"] = plan.AfterBurst is { } burst ? Of(burst) : null,
        ["redisBytes"] = Finite(Math.Round(plan.Redis)),
        ["cost"] = CostText.Json(plan.Cost, plan.Questions.Prices),
    };

    private static Dictionary<string, object?> FieldsOf(PlannedSetting plan)
    {
        var formulas = plan.Formulas;
        return new()
        {
            ["incoming"] = formulas.Incoming,
            ["rate"] = formulas.Sustained,
            ["binds"] = Of(formulas.Binds),
            ["next"] = formulas.Next is { } next ? Of(next) : null,
            ["limits"] = formulas.All.Select(Of),
            ["prefetch"] = plan.Setting.Handling.Prefetch,
            ["largestPrefetch"] = Finite(Math.Floor(formulas.LargestPrefetch)),
            ["safePrefetch"] = Finite(formulas.SafePrefetch),
            ["safePrefetchAsTyped"] = Finite(plan.FullLength.SafePrefetch),
            ["collapsePrefetch"] = Finite(Math.Floor(formulas.CollapsePrefetch)),
            ["losesLocks"] = formulas.LosesLocks,
            ["collapses"] = formulas.Collapses,
            ["backlog"] = formulas.IsOrderly ? Finite(formulas.Backlog) : null,
            ["drainSeconds"] = formulas.IsOrderly ? Finite(formulas.DrainSeconds) : null,
            ["cacheFullAfterSeconds"] = formulas.CacheFullAfterSeconds,
            ["busiestNode"] = Finite(formulas.BusiestNode),
            ["simulated"] = plan.Simulated.ToDictionary(
                figure => figure.Key, figure => new { figure.Value.Median, figure.Value.Min, figure.Value.Max }),
        };
    }

    private static object Of(Burst burst) =>
        new { seconds = Finite(burst.Seconds), losesLocks = burst.LosesLocks, waitSeconds = Finite(burst.WaitSeconds) };

    private static object Of(Limit limit) => new
    {
        kind = PlanText.Kind(limit),
        what = PlanText.What(limit),
        rate = Finite(limit.Rate),
        node = limit.Node,
        service = limit.Service,
    };

    private static double? Finite(double value) => double.IsFinite(value) ? value : null;
}
