using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>A knob on the page: those that the model knows and that are numbers, at full length.</summary>
/// <param name="Max">Of the slider. The field beside it takes whatever the knob may be.</param>
internal sealed record Slider(string Group, string Name, double Min, double Max, double Step)
{
    private const string Load = "Load",
        Workflow = "Workflow",
        Queue = "Queue",
        Services = "Services",
        Nodes = "Nodes",
        Calls = "Failed calls";

    public static IReadOnlyList<Slider> All { get; } =
    [
        new(Load, "load.maxUsers", 1, 200, 1),
        new(Load, "load.duration", 60, 1200, 60),
        new(Load, "queue.messagesAtStart", 0, 40_000, 500),
        new(Workflow, "workflow.replicas", 1, 20, 1),
        new(Workflow, "workflow.maxConcurrentCalls", 1, 100, 1),
        new(Workflow, "workflow.prefetchCount", 0, 5_000, 20),
        new(Workflow, "workflow.maxAutoLockRenewalDuration", 0, 600, 10),
        new(Queue, "queue.lockDuration", 5, 300, 5),
        new(Queue, "queue.maxDeliveryCount", 1, 20, 1),
        new(Services, "ingestion.replicas", 1, 20, 1),
        new(Services, "package.replicas", 1, 20, 1),
        new(Services, "dronescheduler.replicas", 1, 20, 1),
        new(Services, "delivery.replicas", 1, 20, 1),
        new(Services, "redis.deliveriesThatFit", 0, 50_000, 100),
        new(Nodes, "nodes.count", 1, 40, 1),
        new(Nodes, "nodes.vCpu", 1, 16, 1),
        new(Nodes, "nodes.cpuCost", 0.1, 4, 0.1),
        new(Calls, "http.retryJitter", 0, 1, 0.05),
        new(Calls, "http.attemptTimeout", 0.5, 30, 0.5),
        new(Calls, "http.breakerFailureRatio", 0, 1, 0.05),
        new(Calls, "http.breakerMinimumThroughput", 2, 50, 1),
        new(Calls, "http.breakerSamplingDuration", 1, 60, 1),
        new(Calls, "http.breakerBreakDuration", 1, 60, 1),
    ];

    public Knob Knob => KnobTable.Find(Name);

    /// <summary>What a published stage has, as it is typed.</summary>
    public double Published(Stage stage, StepProfile profile, DeclaredEnvironment environment) =>
        stage.Knobs[Name]?.Number
        ?? Name switch
        {
            "load.maxUsers" => profile.MaxUsers,
            "load.duration" => profile.DurationSeconds,
            "queue.messagesAtStart" => stage.Start.Messages,
            "nodes.count" => environment.Nodes?.Count ?? 6,
            "nodes.vCpu" => environment.Nodes?.VCpu ?? 2,
            _ => KnobSet.Empty.Number(Name),
        };
}
