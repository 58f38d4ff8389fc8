using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Simulation;
using DroneDelivery.Simulation.Planning;

namespace DroneDelivery.Lab.Planning;

/// <summary>Nodes and replicas that complete a rate.</summary>
/// <param name="Replicas">Service → replicas.</param>
/// <param name="Rate">Deliveries per second that they complete while as many come in as are wanted.</param>
internal sealed record TargetLayout(int Nodes, IReadOnlyDictionary<string, int> Replicas, double Rate)
{
    private const int MostNodes = 100, MostReplicas = 20;

    // Between these the numbers of replicas are tried; all of them would take seconds.
    private static readonly int[] Tried = [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 18, MostReplicas];

    /// <summary>The fewest nodes, and then the fewest replicas, that complete a rate; nothing else is changed.</summary>
    /// <returns>The layout, or null and what binds even with all of them.</returns>
    public static (TargetLayout? Layout, Limit Binds) For(StagePlan plan, double target)
    {
        Limit? best = null;
        var fewest = FewestNodes(SimulatedSetting.Of(plan), target);
        foreach (var nodes in Enumerable.Range(fewest, MostNodes + 1 - fewest))
        {
            foreach (var knobs in Layouts(plan, nodes))
            {
                var binds = Planner.LimitsAt(SimulatedSetting.Of(plan with { Knobs = knobs }), target)[0];
                if (binds.Rate >= target)
                    return (Of(plan with { Knobs = knobs }, nodes, binds.Rate), binds);
                if (best is null || binds.Rate > best.Rate)
                    best = binds;
            }

            // More nodes give no more once it is not their CPU that binds.
            if (best!.Kind is not (LimitKind.Cpu or LimitKind.Intake) && nodes >= MostReplicas)
                break;
        }

        return (null, best!);
    }

    /// <summary>With fewer the CPU of all together would not do.</summary>
    private static int FewestNodes(Setting setting, double target)
    {
        var perDelivery = setting.Ingestion.CpuMilliseconds + setting.Workflow.CpuMilliseconds
            + setting.Backends.Sum(it => it.CpuMilliseconds);
        var servers = setting.Nodes.VCpu - setting.Nodes.SystemJobMilliseconds / setting.Nodes.SystemEveryMilliseconds;
        return (int)Math.Clamp(Math.Ceiling(target * perDelivery / 1000 / servers), 1, MostNodes);
    }

    /// <summary>With few replicas first.</summary>
    private static IEnumerable<KnobSet> Layouts(StagePlan plan, int nodes) =>
        from workflows in Tried
        from backends in Tried
        from ingestions in (int[])[plan.Application.Replicas(Service.Ingestion), MostReplicas]
        orderby workflows + 3 * backends + ingestions
        where backends == 1 || backends <= nodes
        select Service.Backends.Aggregate(
            plan.Knobs.With("nodes.count", nodes)
                .With(Service.Workflow.ReplicasKnob, workflows)
                .With(Service.Ingestion.ReplicasKnob, ingestions),
            (knobs, service) => knobs.With(service.ReplicasKnob, backends));

    private static TargetLayout Of(StagePlan plan, int nodes, double rate) =>
        new(nodes, Service.All.ToDictionary(it => it.Name, it => plan.Application.Replicas(it)), rate);
}
