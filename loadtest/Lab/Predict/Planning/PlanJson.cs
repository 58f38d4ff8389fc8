using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

/// <summary>Plans as JSON. Infinite and unknown values are <c>null</c>.</summary>
internal static class PlanJson
{
    public static string Of(IEnumerable<PlannedStage> plans) =>
        PrintedJson.Of(plans.ToDictionary(plan => plan.Stage.Stage.Id, plan => Of(plan)));

    public static string Of(string name, PlannedSetting plan) =>
        PrintedJson.Of(new Dictionary<string, object> { [name] = FieldsOf(plan) });

    private static Dictionary<string, object?> Of(PlannedStage plan) => new(FieldsOf(plan)) { ["k"] = plan.Stage.K };

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
            ["largestPrefetch"] = Math.Floor(formulas.LargestPrefetch),
            ["safePrefetch"] = formulas.SafePrefetch,
            ["safePrefetchAsTyped"] = plan.FullLength.SafePrefetch,
            ["collapsePrefetch"] = Math.Floor(formulas.CollapsePrefetch),
            ["losesLocks"] = formulas.LosesLocks,
            ["collapses"] = formulas.Collapses,
            ["backlog"] = formulas.IsOrderly ? formulas.Backlog : null,
            ["drainSeconds"] = formulas.IsOrderly ? formulas.DrainSeconds : null,
            ["cacheFullAfterSeconds"] = formulas.CacheFullAfterSeconds,
            ["busiestNode"] = formulas.BusiestNode,
            ["simulated"] = plan.Simulated,
        };
    }

    private static object Of(Limit limit) =>
        new
        {
            limit.Kind,
            What = PlanText.What(limit),
            limit.Rate,
            limit.Node,
            limit.Service,
        };
}
