using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;
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

    public static Setting Of(StagePlan plan) => HealthyOf(plan) with
    {
        Faults = SimulatedFault.Of(plan),
        Rescalings = RescalingsOf(plan),
    };

    private static Setting HealthyOf(StagePlan plan)
    {
        var knobs = plan.Knobs;
        var placed = new PlacedServices(plan);
        return new()
        {
            Users = UsersOf(plan.Profile, plan.Options.Open),
            Queue = new(
                knobs.Number("queue.lockDuration"),
                (int)knobs.Number("queue.maxDeliveryCount"),
                plan.MessagesAtStart),
            Handling = HandlingOf(knobs),
            Calls = CallsOf(knobs),
            Nodes = placed.Nodes,
            Ingestion = placed.Of(Service.Ingestion),
            Workflow = placed.Of(Service.Workflow) with { Latency = placed.LatencyOf("broker") },
            Backends = [.. Service.Backends.Select(placed.Of)],
            CacheFits = SimulatedCache.Fits(knobs),
            WorkflowStartsAfterSeconds = plan.MessagesAtStart > 0 ? OpensAfterSeconds : 0,
            ObserveSeconds = plan.ObserveSeconds,
            UntilEmpty = plan.Stage.Observe.UntilEmpty,
        };
    }

    /// <summary>Each changes what the one before left.</summary>
    private static List<Rescaling> RescalingsOf(StagePlan plan)
    {
        var (rescalings, knobs) = (new List<Rescaling>(), plan.Knobs);
        foreach (var scaling in plan.Options.Scalings.OrderBy(scaling => scaling.At))
        {
            scaling.RequireIn(plan);
            knobs = knobs.With(scaling.Knobs);
            var placed = new PlacedServices(plan with { Knobs = knobs });
            rescalings.Add(new(
                scaling.At / plan.K, placed.Nodes.Count, placed.Of(Service.Ingestion).Nodes, placed.Of(Service.Workflow).Nodes,
                [.. Service.Backends.Select(backend => placed.Of(backend).Nodes)]));
        }

        return rescalings;
    }

    /// <summary>What is set and does something that the model knows nothing of, one sentence each.</summary>
    public static IEnumerable<string> LeftOut(StagePlan plan)
    {
        var knobs = plan.Knobs;
        if (knobs["workflow.holdDuringOutage"]?.Word == "on" && SimulatedCache.Fits(knobs) is not null)
            yield return "The model's workflow.holdDuringOutage knows back ends that are gone, and not that the cache is full: it goes on.";
        if (knobs["workflow.supervisor"]?.Word == "on")
            yield return "The model has no workflow.supervisor: dead letters stay, and nobody undoes their requests.";
        if (SimulatedCache.IsEstimate(knobs))
            yield return "How many deliveries fit into redis.maxMemory is a rough estimate; redis.deliveriesThatFit is exact.";
    }

    private static UsersSetting UsersOf(StepProfile profile, bool open) => new(
        profile.StartUsers, profile.StepUsers, profile.StepSeconds, profile.MaxUsers, profile.DurationSeconds,
        profile.RequestEveryMilliseconds, profile.Jitter, open);

    private static HandlingSetting HandlingOf(KnobSet knobs) => new(
        (int)knobs.Number("workflow.maxConcurrentCalls"),
        (int)knobs.Number("workflow.prefetchCount"),
        knobs.Number("workflow.maxAutoLockRenewalDuration"),
        knobs["workflow.failurePolicy"]?.Word == "DeadLetter",
        knobs.Number("workflow.abandonDelay"),
        knobs["workflow.holdDuringOutage"]?.Word != "off",
        knobs.Number("workflow.postponeDelay"));

    private static CallSetting CallsOf(KnobSet knobs) => new()
    {
        RetrySeconds = knobs["http.retryDelays"]?.Numbers ?? [0.2, 2, 6],
        RetryJitter = knobs.Number("http.retryJitter"),
        AttemptTimeoutSeconds = knobs.Number("http.attemptTimeout"),
        TotalTimeoutSeconds = Math.Max(30, knobs.Number("http.attemptTimeout")),
        BreakerRatio = knobs.Number("http.breakerFailureRatio"),
        BreakerMinimum = (int)knobs.Number("http.breakerMinimumThroughput"),
        BreakerWindowSeconds = knobs.Number("http.breakerSamplingDuration"),
        BreakerBreakSeconds = knobs.Number("http.breakerBreakDuration"),
    };

    /// <summary>Where the replicas are, and what their work costs.</summary>
    private sealed class PlacedServices
    {
        private readonly StagePlan _plan;
        private readonly DeclaredNodes? _nodes;
        private readonly Placement _placement;

        public PlacedServices(StagePlan plan)
        {
            _plan = plan;
            _nodes = plan.EmulatesNodes ? plan.Environment.Nodes!.With(plan.Knobs) : null;
            _placement = Placement.Of(_nodes ?? Idle, plan.Knobs, before: null, plan.Options.Seed);
        }

        public NodeSetting Nodes => _nodes is { System: var system } nodes
            ? new(nodes.Count, nodes.VCpu, system.JobMilliseconds, system.EveryMilliseconds)
            : new(Idle.Count, Idle.VCpu);

        // Nobody asks these nodes for anything.
        private static DeclaredNodes Idle { get; } = new(1, 1, new(0, 100), new Dictionary<string, double>());

        public ServiceSetting Of(Service service) => new(
            [.. Enumerable.Range(0, Called(service)).Select(replica => _placement.NodeOf[service.NameOf(replica)])],
            _nodes?.CpuMilliseconds.GetValueOrDefault(service.Name) ?? 0,
            LatencyOf(service.Name));

        public LogNormal? LatencyOf(string process) => _plan.Environment.Latency.GetValueOrDefault(process);

        private int Called(Service service) =>
            Service.Backends.Contains(service) && _plan.Knobs.Number("fault.oneBackend", 0) > 0 ? 1 : service.Replicas(_plan.Knobs);
    }
}
