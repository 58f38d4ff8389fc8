using System.CommandLine;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Bench.Report;

/// <summary>What the report of a run and the live page cost, measured on a run that was kept.</summary>
internal static class MeasureReport
{
    private const double BinSeconds = TimeRows.BinSeconds;

    public static Command Command()
    {
        var run = new Option<string>("--run")
        {
            DefaultValueFactory = _ => "last",
            Description = "Folder of the run, or a part of its name.",
        };
        var command = new Command(
            "report",
            "Size of a run's report, time to write it, and CPU of the live page while its stages are played again."
        )
        {
            run,
        };
        command.SetAction(
            (parsed, cancellationToken) =>
                RunAsync(
                    RunsOnDisk.Find(parsed.GetValue(run) is "last" ? null : parsed.GetValue(run)),
                    cancellationToken
                )
        );
        return command;
    }

    private static async Task<int> RunAsync(string folder, CancellationToken cancellationToken)
    {
        var watch = Stopwatch.StartNew();
        await using var store = await TelemetryStore.LoadAsync(
            Path.Combine(folder, TelemetryCollector.FileName),
            cancellationToken
        );
        Console.WriteLine($"{store.Counts.Kept:N0} items, read in {watch.Elapsed.TotalSeconds:N1} s");
        var (run, telemetry) = (RunFolder.Read(folder), new RunTelemetry(store.Snapshot()));
        var writing = new Sample();
        var report = "";
        for (var i = 0; i < 5; i++)
        {
            watch.Restart();
            report = RunReport.Render(run, telemetry);
            writing.Add(watch.Elapsed.TotalSeconds);
        }

        var size = Encoding.UTF8.GetByteCount(report) / 1024;
        Console.WriteLine($"report of {run.Stages.Count} stages: {size:N0} KiB, written in {writing.Show("N2")} s");
        foreach (var times in telemetry.Stages())
        {
            var stage = run.Stages.Single(it => it.Stage == times.Stage);
            var one = await WatchAsync(store, stage, times, 1);
            var ten = await WatchAsync(store, stage, times, 10);
            Console.WriteLine(
                $"stage {times.Stage, -8} live page: {one:0.0} % of a core with 1 viewer, {ten:0.0} % with 10; "
                    + Throughput(telemetry, times)
            );
        }

        return 0;
    }

    /// <summary>CPU time of a page that is watched for the whole of a stage, as a share of that time: percent.</summary>
    private static async Task<double> WatchAsync(TelemetryStore store, StageRecord stage, StageTimes times, int viewers)
    {
        var (run, clock) = (new LiveRun(), new SteppedClock { Now = stage.StartedAt });
        run.Begin(new(stage, times.Start));
        using var feed = new LiveFeed(store, run, clock);
        var seen = new long[viewers];
        var before = Environment.CpuUsage.TotalTime;
        for (; clock.Now < times.End; clock.Now += TimeSpan.FromSeconds(1))
        {
            for (var viewer = 0; viewer < viewers; viewer++)
            {
                var delta = await feed.SinceAsync(seen[viewer], CancellationToken.None);
                seen[viewer] = delta.Version;
                _ = JsonSerializer.SerializeToUtf8Bytes(delta, JsonSerializerOptions.Web);
            }
        }

        return 100 * (Environment.CpuUsage.TotalTime - before) / (times.End - stage.StartedAt);
    }

    /// <summary>The most that throughput.kql counts in 5 s, and the most that the broker counted of each queue in such 5 s.</summary>
    private static string Throughput(RunTelemetry telemetry, StageTimes stage)
    {
        var bins = Points(telemetry.Ask("throughput", stage), "succeeded");
        if (bins.Count == 0)
            return "nothing completed";
        // One literal in one call: the check of queries finds it by this form.
        var samples = KqlQuery.Parse(
            "let start = now(); let end = now(); queueSamples | where timestamp >= start and timestamp <= end | order by timestamp asc"
        );
        var broker = telemetry.Ask(samples, stage);
        var counted = bins.Max(bin => bin.Value) / BinSeconds;
        var queues = broker
            .Column("queue")
            .Zip(Points(broker, "completed"))
            .GroupBy(sample => (string)sample.First!, sample => sample.Second)
            .Select(queue => QueueText(queue.Key, [.. queue], bins, counted));
        return $"throughput.kql {counted:0.0}/s at most; broker: {string.Join(", ", queues)}";
    }

    /// <summary>Workflow completes messages of the requests: only their queue is compared.</summary>
    private static string QueueText(
        string queue,
        List<(DateTime Time, double Value)> samples,
        List<(DateTime Time, double Value)> bins,
        double counted
    )
    {
        var best = bins.Max(bin => At(samples, bin.Time.AddSeconds(BinSeconds)) - At(samples, bin.Time)) / BinSeconds;
        var difference =
            queue == BrokerCounters.QueueName && best > 0 ? $" ({100 * (counted / best - 1):+0.0;-0.0} %)" : "";
        return $"{queue} {best:0.0}/s{difference}";
    }

    private static List<(DateTime Time, double Value)> Points(QueryResult answer, string column) =>
        [
            .. answer
                .Column("timestamp")
                .Zip(answer.Column(column), (time, value) => ((DateTime)time!, (double)(long)value!)),
        ];

    /// <summary>A counter between two of its samples, which are a second apart.</summary>
    private static double At(List<(DateTime Time, double Value)> samples, DateTime time)
    {
        var next = samples.FindIndex(sample => sample.Time >= time);
        if (next <= 0)
            return next < 0 ? samples[^1].Value : samples[0].Value;
        var (a, b) = (samples[next - 1], samples[next]);
        return a.Value + (b.Value - a.Value) * ((time - a.Time) / (b.Time - a.Time));
    }

    private sealed class SteppedClock : TimeProvider
    {
        public DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
