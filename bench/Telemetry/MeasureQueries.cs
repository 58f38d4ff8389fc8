using System.CommandLine;
using System.Diagnostics;
using System.Runtime.Loader;
using System.Text;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Bench.Telemetry;

/// <summary>
/// Every query of loadtest/queries over a run of a million rows, and the memory that the run takes. With another build both answer in turn.
/// </summary>
internal static class MeasureQueries
{
    private static readonly DateTimeOffset Start = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public static Command Command()
    {
        var rows = new Option<int>("--rows") { DefaultValueFactory = _ => 1_000_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var beside = new Option<FileInfo>("--beside")
        {
            Description = "compare with another build: its DroneDelivery.Telemetry.dll",
        };
        beside.AcceptExistingOnly();
        var command = new Command("telemetry-queries", "Every query of loadtest/queries over a large run.")
        {
            rows,
            repetitions,
            beside,
        };
        command.SetAction(
            (parsed, _) => Run(parsed.GetValue(rows), parsed.GetValue(repetitions), parsed.GetValue(beside))
        );
        return command;
    }

    private static async Task Run(int rows, int repetitions, FileInfo? beside)
    {
        var before = GC.GetTotalMemory(forceFullCollection: true);
        var store = new TelemetryStore();
        var watch = Stopwatch.StartNew();
        Fill(store, rows);
        var (elapsed, kept) = (watch.Elapsed, store.Counts.Kept);
        var snapshot = store.Snapshot();
        var bytes = snapshot.Tables.Values.Sum(table => table.SizeInBytes);
        var heap = GC.GetTotalMemory(forceFullCollection: true) - before;
        Console.WriteLine(
            $"{kept:N0} rows, made and taken in within {elapsed.TotalSeconds:N1} s; "
                + $"{(double)bytes / kept:N0} bytes a row in full chunks, {(double)heap / kept:N0} on the heap"
        );
        Console.WriteLine($"{repetitions} repetitions; median (range) in ms");
        var engines = beside is null
            ? [new QueryEngine(typeof(KqlQuery).Assembly, snapshot)]
            : await LoadBoth(rows, beside);
        var files = Directory.GetFiles(
            ChildProcess.InRepository("loadtest", "queries"),
            "*.kql",
            SearchOption.AllDirectories
        );
        foreach (var file in files.Order())
        {
            Console.WriteLine(
                $"{Path.GetFileNameWithoutExtension(file), -26} {Measure(File.ReadAllText(file), engines, repetitions)}"
            );
        }
    }

    private static async Task<List<QueryEngine>> LoadBoth(int rows, FileInfo other)
    {
        var folder = Directory.CreateTempSubdirectory("bench-queries-");
        var file = Path.Combine(folder.FullName, "telemetry.ndjson.gz");
        await using (var store = new TelemetryStore(new() { File = file }))
            Fill(store, rows);
        var build = new AssemblyLoadContext("the other build").LoadFromAssemblyPath(other.FullName);
        List<QueryEngine> both =
        [
            await QueryEngine.Load(typeof(KqlQuery).Assembly, file),
            await QueryEngine.Load(build, file),
        ];
        folder.Delete(recursive: true);
        return both;
    }

    private static string Measure(string query, List<QueryEngine> engines, int repetitions)
    {
        var let = new Dictionary<string, object> { ["start"] = Start.AddMinutes(-1), ["end"] = Start.AddDays(1) };
        var rows = engines.ConvertAll(engine => engine.Answer(query, let)); // the first time compiles
        if (rows.Contains(null))
            return "the other build does not take it";
        var times = engines.ConvertAll(_ => new Sample());
        for (var turn = 0; turn < repetitions * engines.Count; turn++)
        {
            // Another one begins each time.
            var which = (turn + turn / engines.Count) % engines.Count;
            var watch = Stopwatch.StartNew();
            engines[which].Answer(query, let);
            times[which].Add(watch.Elapsed.TotalMilliseconds);
        }
        return $"{times[0].Show("N1"), -20} {rows[0], 7:N0} rows"
            + (
                times is [var own, var other]
                    ? $"; the other {other.Show("N1"), -20} {own.Over(other).Show("P0")} of it"
                    : ""
            );
    }

    // Deliveries at 74/s; once a second the broker and six nodes are sampled.
    private static void Fill(TelemetryStore store, int rows)
    {
        var delivery = new RecordedDelivery();
        var (queues, nodes) = (store.Define(SampleTables.Queues), store.Define(SampleTables.Nodes));
        var text = new StringBuilder();
        for (var number = 0; number < rows / delivery.Items; number++)
        {
            var time = Start.AddSeconds(number / 74.0);
            delivery.AppendTo(text, number, time);
            if (number % 74 != 0)
                continue;
            store.Ingest(Encoding.UTF8.GetBytes(text.ToString()));
            text.Clear();
            queues.Append(time, "delivery-requests", number, number, number, 0, 0, 0, 0, 0, 0, 7, 3, 0, 0, 0);
            for (var node = 0; node < 6; node++)
                nodes.Append(time, $"node-{node}", (number + node) % 100.0);
        }
        store.Ingest(Encoding.UTF8.GetBytes(text.ToString()));
    }
}
