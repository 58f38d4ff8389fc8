using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>A stage as the model is told it. What the stage does not set has the default of the service that would be started.</summary>
internal static class SimulatedSetting
{
    /// <summary>
    /// Where messages wait, the lab schedules them for a moment after its last step. The load generator takes some 0.8 s to start, so they
    /// are due half a second after the load has begun.
    /// </summary>
    public const double OpensAfterSeconds = 0.5;

    public static Setting Of(StagePlan plan) =>
        SystemOf(plan).SettingOf(SystemSetting.UsersOf(plan.Profile, plan.Options.Open), plan.Options.Seed) with
        {
            CacheFits = RedisMemory.Fits(plan.Knobs),
            WorkflowStartsAfterSeconds = plan.MessagesAtStart > 0 ? OpensAfterSeconds : 0,
            Faults = [.. StageFault.Of(plan).Select(it => it.Fault)],
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

    /// <summary>What is set and does something that the model knows nothing of, one sentence each.</summary>
    public static IEnumerable<string> LeftOut(StagePlan plan)
    {
        var knobs = plan.Knobs;
        if (knobs["workflow.supervisor"]?.Word == "on")
            yield return "The model has no workflow.supervisor: dead letters stay, and nobody undoes their requests.";
        if (RedisMemory.IsEstimate(knobs))
            yield return "How many deliveries fit into redis.maxMemory is a rough estimate; redis.deliveriesThatFit is exact.";
    }
}
