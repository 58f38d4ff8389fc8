using System.CommandLine;
using System.Diagnostics;
using System.Text;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Bench.Telemetry;

/// <summary>Every query of loadtest/queries over a run of a million rows, and the memory that the run takes.</summary>
internal static class MeasureQueries
{
    private static readonly DateTimeOffset Start = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public static Command Command()
    {
        var rows = new Option<int>("--rows") { DefaultValueFactory = _ => 1_000_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command("telemetry-queries", "Every query of loadtest/queries over a large run.") { rows, repetitions };
        command.SetAction((parsed, _) => Task.FromResult(Run(parsed.GetValue(rows), parsed.GetValue(repetitions))));
        return command;
    }

    private static int Run(int rows, int repetitions)
    {
        var before = GC.GetTotalMemory(forceFullCollection: true);
        var store = new TelemetryStore();
        var watch = Stopwatch.StartNew();
        Fill(store, rows);
        var (elapsed, kept) = (watch.Elapsed, store.Counts.Kept);
        var snapshot = store.Snapshot();
        var bytes = snapshot.Tables.Values.Sum(table => table.SizeInBytes);
        var heap = GC.GetTotalMemory(forceFullCollection: true) - before;
        Console.WriteLine($"{kept:N0} rows, made and taken in within {elapsed.TotalSeconds:N1} s; "
            + $"{(double)bytes / kept:N0} bytes a row in full chunks, {(double)heap / kept:N0} on the heap");
        Console.WriteLine($"{repetitions} repetitions; median (range) in ms");
        var files = Directory.GetFiles(ChildProcess.InRepository("loadtest", "queries"), "*.kql", SearchOption.AllDirectories);
        foreach (var file in files.Order())
            Console.WriteLine($"{Path.GetFileNameWithoutExtension(file),-26} {Measure(File.ReadAllText(file), snapshot, repetitions)}");
        return 0;
    }

    private static string Measure(string query, TelemetrySnapshot snapshot, int repetitions)
    {
        var options = new QueryOptions
        {
            Let = new Dictionary<string, object> { ["start"] = Start.AddMinutes(-1), ["end"] = Start.AddDays(1) },
        };
        var times = new Sample();
        var rows = 0;
        for (var repetition = -1; repetition < repetitions; repetition++)
        {
            var watch = Stopwatch.StartNew();
            rows = KqlQuery.Parse(query).Run(snapshot, options).Rows;
            if (repetition >= 0) // the first compiles
                times.Add(watch.Elapsed.TotalMilliseconds);
        }
        return $"{times.Show(),-16} {rows,7:N0} rows";
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
