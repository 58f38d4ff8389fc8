using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What repeats loadtest/stages: an overlay of the chart and a skaffold profile for each stage, and a table in the docs.</summary>
internal static class OverlayFiles
{
    private static string Chart => Path.Combine(Repository.Root, "helm", "drone-delivery");

    /// <summary>Path → what it has to contain; null: it has no stage, and must not be there.</summary>
    public static IReadOnlyDictionary<string, string?> Expected(IReadOnlyList<Stage> stages)
    {
        var files = Directory.GetFiles(Chart, "values-stage-*.yaml").ToDictionary(path => path, _ => (string?)null);
        foreach (var stage in stages)
            files[Path.Combine(Chart, $"values-stage-{stage.Id}.yaml")] = HelmValues.Of(stage);
        AddPart(
            files,
            "docs/reference/stages.md",
            "<!-- stages: made by `./lab docs` -->",
            "<!-- /stages -->",
            TableOf(stages)
        );
        AddPart(
            files,
            "skaffold.yaml",
            "  # Stages: made by `./lab docs`.",
            "  # End of the stages.",
            string.Concat(stages.Select(Profile))
        );
        return files;
    }

    /// <summary>Files that are not as they have to be, relative to the repository.</summary>
    public static IReadOnlyList<string> Drifted(IReadOnlyDictionary<string, string?> expected) =>
        [
            .. expected
                .Where(it => (File.Exists(it.Key) ? File.ReadAllText(it.Key) : null) != it.Value)
                .Select(it => Path.GetRelativePath(Repository.Root, it.Key))
                .Order(StringComparer.Ordinal),
        ];

    public static void Write(IReadOnlyDictionary<string, string?> expected)
    {
        foreach (var (path, content) in expected)
        {
            if (content is null)
                File.Delete(path);
            else
                File.WriteAllText(path, content);
        }
    }

    private static string Profile(Stage stage) =>
        $$"""
              - name: stage-{{stage.Id}}
                patches: [{ op: add, path: /deploy/helm/releases/0/valuesFiles/-, value: helm/drone-delivery/values-stage-{{stage.Id}}.yaml }]

            """;

    private static void AddPart(Dictionary<string, string?> files, string file, string begin, string end, string part)
    {
        var path = Path.Combine(Repository.Root, file);
        var text = File.ReadAllText(path);
        var from = text.IndexOf(begin + "\n", StringComparison.Ordinal) + begin.Length + 1;
        var to = text.IndexOf(end, StringComparison.Ordinal);
        files[path] =
            from > begin.Length && to >= from
                ? text[..from] + part + text[to..]
                : throw new LabException(
                    $"{file}: the lines `{begin.Trim()}` and `{end.Trim()}` are missing. The stages belong between them."
                );
    }

    private static readonly string[] Columns =
    [
        "stage",
        "replicas (ingestion / workflow / package / dronescheduler / delivery)",
        "calls",
        "prefetch",
        "lock",
        "maximum delivery count",
        "Redis memory",
        "nodes × vCPU",
    ];

    private static string TableOf(IEnumerable<Stage> stages) =>
        Table
            .Of("", Columns, stages, stage =>
                [
                    $"{stage.Id} {stage.Title}",
                    string.Join(" / ", Service.All.Select(service => stage.Knobs.Number(service.ReplicasKnob, 1))),
                    Shown(stage, "workflow.maxConcurrentCalls"),
                    Shown(stage, "workflow.prefetchCount"),
                    Shown(stage, "queue.lockDuration"),
                    Shown(stage, "queue.maxDeliveryCount"),
                    stage.Knobs["redis.maxMemory"] is { Number: 0 } ? "no limit" : Shown(stage, "redis.maxMemory"),
                    DeclaredEnvironment.Load(stage.Environment).Nodes?.With(stage.Knobs) is { } nodes
                        ? $"{nodes.Count} × {nodes.VCpu}"
                        : "any",
                ]
            )
            .Markdown();

    private static string Shown(Stage stage, string knob) =>
        stage.Knobs[knob] is { } value ? KnobTable.Find(knob).Show(value) : "default";
}
