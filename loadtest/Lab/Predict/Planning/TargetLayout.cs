using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

/// <summary>Nodes and replicas that complete a rate.</summary>
/// <param name="Replicas">Service → replicas.</param>
/// <param name="Rate">Deliveries per second that they complete while as many come in as are wanted; infinite: nothing limits them.</param>
internal sealed record TargetLayout(int Nodes, IReadOnlyDictionary<string, int> Replicas, double Rate)
{
    public static int MostNodes { get; } = (int)KnobTable.Find("nodes.count").Max;

    public static int MostReplicas { get; } = (int)KnobTable.Find(Service.Workflow.ReplicasKnob).Max;

    /// <summary>The fewest nodes, and then the fewest replicas, that complete a rate; nothing else is changed.</summary>
    /// <returns>The layout, or null and what binds even with the best of them.</returns>
    /// <exception cref="BadInputException">Replicas are not placed in turn.</exception>
    public static (TargetLayout? Layout, Limit Binds) For(StagePlan plan, double target)
    {
        if (plan.Knobs["nodes.placement"]?.Word is { } word && word != nameof(PlacementRule.RoundRobin))
            throw new BadInputException("--target counts on replicas that are placed in turn: leave nodes.placement out.");
        var layouts = LayoutsOf(plan);
        var workflow = Planner.Of(SimulatedSetting.Of(plan with { Knobs = plan.Knobs.With(Service.Workflow.ReplicasKnob, 1) })).Limits
            .Single(limit => limit.Kind is LimitKind.Calls or LimitKind.Prefetch).Rate;
        // There every replica can have a node of its own: none do more.
        var best = On(layouts, MostNodes).MaxBy(it => RateOf(it, workflow))!;
        for (var nodes = 1; nodes <= MostNodes && RateOf(best, workflow) >= target; nodes++)
        {
            if (layouts.Bound(nodes) >= target
                && On(layouts, nodes).FirstOrDefault(it => RateOf(it, workflow) >= target) is { } enough)
            {
                return Found(plan, enough, target);
            }
        }

        return (null, Found(plan, best, target).Binds);
    }

    private static Layouts LayoutsOf(StagePlan plan) => plan.EmulatesNodes && plan.Environment.Nodes!.With(plan.Knobs) is var nodes
        ? new(nodes.CpuMilliseconds, nodes.VCpu - nodes.System.Servers)
        : new(new Dictionary<string, double>(), 1);

    private static IEnumerable<Layout> On(Layouts layouts, int nodes)
    {
        var replicas = new Numbers(1, MostReplicas);
        return layouts.On(nodes, replicas, replicas, replicas);
    }

    private static double RateOf(Layout layout, double workflow) => Math.Min(layout.Rate, layout.Workflow * workflow);

    private static (TargetLayout Layout, Limit Binds) Found(StagePlan plan, Layout layout, double target)
    {
        var knobs = Service.Backends.Aggregate(
            plan.Knobs.With("nodes.count", layout.Nodes)
                .With(Service.Ingestion.ReplicasKnob, layout.Ingestion)
                .With(Service.Workflow.ReplicasKnob, layout.Workflow),
            (knobs, service) => knobs.With(service.ReplicasKnob, layout.Backends));
        var changed = plan with { Knobs = knobs };
        var binds = Planner.LimitsAt(SimulatedSetting.Of(changed), target)[0];
        return (new(layout.Nodes, Service.All.ToDictionary(it => it.Name, it => it.Replicas(changed.Knobs)), binds.Rate), binds);
    }
}
