using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>The model's input for a stage. Unset values have the service's default.</summary>
internal static class SimulatedSetting
{
    /// <summary>When initial messages become active after the load has started, which takes the load generator about 0.8 s.</summary>
    public const double OpensAfterSeconds = 0.5;

    public static Setting Of(StagePlan plan) =>
        SystemOf(plan).SettingOf(SystemSetting.UsersOf(plan.Profile, plan.Options.Open), plan.Options.Seed) with
        {
            CacheFits = RedisMemory.Fits(plan.Knobs),
            WorkflowStartsAfterSeconds = plan.MessagesAtStart > 0 ? OpensAfterSeconds : 0,
            Faults = [.. StageFault.Of(plan).Select(fault => fault.Fault)],
        };

    private static SystemFile SystemOf(StagePlan plan)
    {
        var nodes = plan.EmulatesNodes ? plan.Environment.Nodes : null;
        var declared = nodes is null
            ? KnobSet.Empty
            : KnobSet.Empty.With("nodes.count", nodes.Count).With("nodes.vCpu", nodes.VCpu);
        return new()
        {
            Observe = new(plan.ObserveSeconds, plan.Stage.Observe.UntilEmpty),
            Nodes = nodes is null ? null : new() { System = nodes.System },
            Services = Service.All.ToDictionary(service => service.Name, service => ServiceOf(service, plan)),
            Accepts = Service.Ingestion.Name,
            Receives = Service.Workflow.Name,
            Knobs = declared.With(plan.Knobs).With("queue.messagesAtStart", plan.MessagesAtStart),
        };
    }

    private static SystemService ServiceOf(Service service, StagePlan plan)
    {
        var (latency, nodes) = (plan.Environment.Latency, plan.Environment.Nodes);
        return new()
        {
            Replicas = service.Replicas(plan.Knobs),
            CpuMilliseconds = nodes is null ? null : nodes.CpuMilliseconds.GetValueOrDefault(service.Name),
            Latency = latency.GetValueOrDefault(service.Name),
            Settlement = latency.GetValueOrDefault("broker"),
            FailurePolicy = FailurePolicy.DeadLetter,
            Calls = [.. Service.Backends.Select(backend => new SystemStep([backend.Name]))],
        };
    }

    /// <summary>Returns a sentence for each setting that isn't simulated.</summary>
    public static IEnumerable<string> NotSimulated(StagePlan plan)
    {
        var knobs = plan.Knobs;
        if (knobs["workflow.supervisor"]?.Word == "on")
            yield return "The model doesn't simulate workflow.supervisor: dead letters stay, and their requests aren't compensated.";
        if (RedisMemory.IsEstimate(knobs))
            yield return "The number of deliveries that fit in redis.maxMemory is a rough estimate; redis.deliveriesThatFit is exact.";
    }
}
