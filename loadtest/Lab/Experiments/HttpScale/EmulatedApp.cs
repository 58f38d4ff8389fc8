using System.Globalization;
using System.Text;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Ingest;

namespace DroneDelivery.Lab.Experiments;

/// <summary>How the concurrency of an instance moves throughput, latency, scale-out and cost under a closed load.</summary>
internal static class EmulatedApp
{
    private const double Million = 1e6;

    public static async Task<Exhibits> EmulateAsync(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        scene.Progress.Report(
            $"{knobs["load.clients"]} clients, {FunctionApp.TargetOf(knobs)} instances, "
                + $"{knobs["load.duration"]:0} s on a clock of its own"
        );
        var result = new FunctionApp(knobs).Play(cancellationToken);
        var instances = await FunctionAppTelemetry.InstancesAsync(result, cancellationToken);
        var cost = result.GigabyteSeconds * knobs["price.gigabyteSecond"] / result.Latencies.Count * Million;
        return Exhibits.Of(
            scene.Variant,
            "Computed event by event from the declared times; no request left this process.",
            [
                new("requests", result.Latencies.Count, "#,0"),
                new("requests/s", result.RequestsPerSecond, "#,0", "rps"),
                new("p50 ms", result.Percentile(0.5), "0", "p50"),
                new("p90 ms", result.Percentile(0.9), "0", "p90"),
                new("p99 ms", result.Percentile(0.99), "0", "p99"),
                new("p99.9 ms", result.Percentile(0.999), "0", "p99.9"),
                new("instances", result.ReadyAt.Count, "0", "instances"),
                new(null, result.SecondsTo(0.8), "", "secondsTo80"),
                new("GB-s", result.GigabyteSeconds, "#,0"),
                new("$ per million", cost, "0.0000", "cost"),
                new("with executions", cost + knobs["price.millionExecutions"], "0.0000", "costWithExecutions"),
            ],
            new("Distinct instances in a second", Says(result), "instances", [instances], FunctionAppTelemetry.Query)
        );
    }

    private static string Says(ScaleResult result) =>
        $"{result.ReadyAt.Count} instances; four of five are there after {result.SecondsTo(0.8):0.0} s.";
}

/// <summary>
/// What the emulated app would send to Application Insights, and what the article's query makes of it. Millions of requests are sampled:
/// one item for each instance and second, which says how many requests it stands for.
/// </summary>
internal static class FunctionAppTelemetry
{
    /// <summary>A file of loadtest/queries.</summary>
    public const string Query = "instances-per-second";

    /// <summary>When the app's own clock begins.</summary>
    private static readonly DateTimeOffset Begin = new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>Distinct instances in each second, as the query counts them in the telemetry.</summary>
    public static async Task<ExperimentLine> InstancesAsync(ScaleResult result, CancellationToken cancellationToken)
    {
        await using var store = new TelemetryStore();
        foreach (var (second, answers) in result.Answers.Index())
            Send(store, second, answers);
        var telemetry = new RunTelemetry(store.Snapshot());
        var answer = telemetry.AskAll(QueryFile.Read(Query), Begin.AddDays(1), cancellationToken: cancellationToken);
        var (times, instances) = (answer.Column("timestamp").ToList(), answer.Column("instances").ToList());
        return new(
            "instances",
            [.. times.Select(time => ((DateTime)time! - Begin.UtcDateTime).TotalSeconds)],
            [.. instances.Select(count => Convert.ToDouble(count, CultureInfo.InvariantCulture))]
        );
    }

    /// <param name="answers">Of each instance, in that second.</param>
    private static void Send(TelemetryStore store, int second, IReadOnlyList<int> answers)
    {
        var items = new StringBuilder();
        foreach (var (instance, count) in answers.Index().Where(it => it.Item > 0))
        {
            items.Append(
                CultureInfo.InvariantCulture,
                $$$$"""
                {"time":"{{{{Begin.AddSeconds(second):O}}}}","sampleRate":{{{{100.0 / count:R}}}},
                "tags":{"ai.cloud.role":"function-app","ai.cloud.roleInstance":"instance-{{{{instance}}}}"},
                "data":{"baseType":"RequestData","baseData":{"id":"{{{{second}}}}-{{{{instance}}}}","name":"POST /api/deliveryrequests",
                "responseCode":"202","success":true,"duration":"00:00:00"}}}

                """
            );
        }
        if (store.Ingest(Encoding.UTF8.GetBytes(items.ToString())) is { Errors: [var first, ..] })
            throw new InvalidOperationException(first.Message);
    }
}
