using System.Globalization;
using System.Text;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Overlays;

/// <summary>What the stages set, side by side, as a table in Markdown.</summary>
internal static class StageTable
{
    public static string Of(IEnumerable<Stage> stages)
    {
        var text = new StringBuilder()
            .Append("| Stage | Replicas (ingestion / workflow / package / dronescheduler / delivery) | Calls | Prefetch | Lock ")
            .Append("| Deliveries | Redis memory | Nodes × vCPU |\n")
            .Append("|---|---|---|---|---|---|---|---|\n");
        foreach (var stage in stages)
            text.Append(CultureInfo.InvariantCulture, $"| {string.Join(" | ", Cells(stage))} |\n");
        return text.ToString();
    }

    private static IEnumerable<string> Cells(Stage stage) =>
    [
        $"{stage.Id} {stage.Title}",
        string.Join(" / ", Service.All.Select(service => stage.Knobs.Number(service.ReplicasKnob, 1))),
        Shown(stage, "workflow.maxConcurrentCalls"),
        Shown(stage, "workflow.prefetchCount"),
        Shown(stage, "queue.lockDuration"),
        Shown(stage, "queue.maxDeliveryCount"),
        stage.Knobs["redis.maxMemory"] is { Number: 0 } ? "no limit" : Shown(stage, "redis.maxMemory"),
        DeclaredEnvironment.Load(stage.Environment).Nodes?.With(stage.Knobs) is { } nodes ? $"{nodes.Count} × {nodes.VCpu}" : "any",
    ];

    private static string Shown(Stage stage, string knob) =>
        stage.Knobs[knob] is { } value ? KnobTable.Find(knob).Show(value) : "default";
}
