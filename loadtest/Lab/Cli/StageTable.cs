using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What the stages set, side by side, as a table in Markdown.</summary>
internal static class StageTable
{
    private static readonly string[] Head =
    [
        "stage", "replicas (ingestion / workflow / package / dronescheduler / delivery)", "calls", "prefetch", "lock",
        "maximum delivery count", "Redis memory", "nodes × vCPU",
    ];

    public static string Of(IEnumerable<Stage> stages) => Table.Of("", Head, stages, stage =>
    [
        $"{stage.Id} {stage.Title}",
        string.Join(" / ", Service.All.Select(service => stage.Knobs.Number(service.ReplicasKnob, 1))),
        Shown(stage, "workflow.maxConcurrentCalls"),
        Shown(stage, "workflow.prefetchCount"),
        Shown(stage, "queue.lockDuration"),
        Shown(stage, "queue.maxDeliveryCount"),
        stage.Knobs["redis.maxMemory"] is { Number: 0 } ? "no limit" : Shown(stage, "redis.maxMemory"),
        DeclaredEnvironment.Load(stage.Environment).Nodes?.With(stage.Knobs) is { } nodes ? $"{nodes.Count} × {nodes.VCpu}" : "any",
    ]).Markdown();

    private static string Shown(Stage stage, string knob) =>
        stage.Knobs[knob] is { } value ? KnobTable.Find(knob).Show(value) : "default";
}
