namespace DroneDelivery.Lab.Experiments;

/// <summary>How the concurrency of an instance moves throughput, latency, scale-out and cost under a closed load.</summary>
internal static class EmulatedApp
{
    private const double Million = 1e6;

    public static async Task<Exhibits> EmulateAsync(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        scene.Progress.Report($"{knobs["load.clients"]} clients, {FunctionApp.TargetOf(knobs)} instances, "
            + $"{knobs["load.duration"]:0} s on a clock of its own");
        var result = new FunctionApp(knobs).Play(cancellationToken);
        var figures = Figures(result, knobs);
        var instances = await FunctionAppTelemetry.InstancesAsync(result, cancellationToken);
        return Exhibits.Of(scene.Variant, figures) with
        {
            Tables = [Table(scene.Variant, figures, result)],
            Charts = [new("Distinct instances in a second", Says(result), "instances", [instances], FunctionAppTelemetry.Query)],
        };
    }

    private static Dictionary<string, double> Figures(ScaleResult result, KnobValues knobs)
    {
        var costOfMemory = result.GigabyteSeconds * knobs["price.gigabyteSecond"] / result.Latencies.Count * Million;
        return new()
        {
            ["rps"] = result.RequestsPerSecond,
            ["p50"] = result.Percentile(0.5),
            ["p90"] = result.Percentile(0.9),
            ["p99"] = result.Percentile(0.99),
            ["p99.9"] = result.Percentile(0.999),
            ["instances"] = result.ReadyAt.Count,
            ["secondsTo80"] = result.SecondsTo(0.8),
            ["cost"] = costOfMemory,
            ["costWithExecutions"] = costOfMemory + knobs["price.millionExecutions"],
        };
    }

    private static string Says(ScaleResult result) =>
        $"{result.ReadyAt.Count} instances; four of five are there after {result.SecondsTo(0.8):0.0} s.";

    private static ExperimentTable Table(Variant variant, Dictionary<string, double> figures, ScaleResult result) => new(
        variant.Title, "Computed event by event from the declared times; no request left this process.",
        [
            "requests#", "requests/s#", "p50 ms#", "p90 ms#", "p99 ms#", "p99.9 ms#", "instances#", "GB-s#", "$ per million#",
            "with executions#",
        ],
        [[
            $"{result.Latencies.Count:#,0}", $"{figures["rps"]:#,0}", $"{figures["p50"]:0}", $"{figures["p90"]:0}", $"{figures["p99"]:0}",
            $"{figures["p99.9"]:0}", $"{figures["instances"]:0}", $"{result.GigabyteSeconds:#,0}", $"{figures["cost"]:0.0000}",
            $"{figures["costWithExecutions"]:0.0000}",
        ]]);
}
