using System.Text.Json;
using DroneDelivery.Simulation.Planning;

namespace DroneDelivery.Lab.Planning;

/// <summary>Plans for scripts: an object for each stage. What is infinite or not known is null.</summary>
internal static class PlanJson
{
    private static readonly JsonSerializerOptions Indented = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static string Of(IEnumerable<StageForecast> plans) =>
        JsonSerializer.Serialize(plans.ToDictionary(plan => plan.Stage.Stage.Id, Of), Indented);

    private static object Of(StageForecast plan)
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
            prefetch = plan.Stage.Knobs.Number("workflow.prefetchCount", 100),
            largestPrefetch = Finite(Math.Floor(formulas.LargestPrefetch)),
            safePrefetch = formulas.SafePrefetch,
            safePrefetchAsTyped = plan.Typed,
            collapsePrefetch = Finite(Math.Floor(formulas.CollapsePrefetch)),
            losesLocks = formulas.LosesLocks,
            collapses = formulas.Collapses,
            backlog = formulas.IsOrderly ? Finite(formulas.Backlog) : null,
            drainSeconds = formulas.IsOrderly ? Finite(formulas.DrainSeconds) : null,
            cacheFullAfterSeconds = formulas.CacheFullAfterSeconds,
            busiestNode = formulas.BusiestNode,
            burst = plan.AfterBurst is { } burst
                ? new { seconds = Finite(burst.Seconds), losesLocks = burst.LosesLocks, waitSeconds = Finite(burst.WaitSeconds) }
                : null,
            target = plan.Wanted is { } wanted
                ? new
                {
                    isPossible = wanted.Layout is not null,
                    nodes = wanted.Layout?.Nodes,
                    replicas = wanted.Layout?.Replicas,
                    rate = wanted.Layout?.Rate,
                    binds = Of(wanted.Binds),
                }
                : null,
            redisBytes = Math.Round(plan.Redis),
            cost = new
            {
                perMonth = Math.Round(plan.Cost.PerMonth),
                currency = plan.Cost.Currency,
                prices = plan.Questions.Prices.Name,
                date = plan.Questions.Prices.Date,
                isEstimate = true,
                lines = plan.Cost.Lines.Select(line => new { line.Part, line.What, perMonth = Math.Round(line.PerMonth) }),
            },
            simulated = plan.Simulated.ToDictionary(
                figure => figure.Key, figure => new { figure.Value.Median, figure.Value.Min, figure.Value.Max }),
        };
    }

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
