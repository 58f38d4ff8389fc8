using System.CommandLine;
using System.Diagnostics;
using System.Text;
using DroneDelivery.Lab;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Bench.Queries;

/// <summary>Measures every query of loadtest/queries over a run of a million rows, and the memory of the run.</summary>
internal static class MeasureQueries
{
    private static readonly DateTimeOffset Start = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public static Command Command()
    {
        var rows = new Option<int>("--rows") { DefaultValueFactory = _ => 1_000_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command("queries", "Every query of loadtest/queries over a large run.") { rows, repetitions };
        command.SetAction(parsed => Run(parsed.GetValue(rows), parsed.GetValue(repetitions)));
        return command;
    }

    private static void Run(int rows, int repetitions)
    {
        var before = GC.GetTotalMemory(forceFullCollection: true);
        var store = new TelemetryStore();
        Fill(store, rows);
        var (kept, snapshot) = (store.Counts.Kept, store.Snapshot());
        var heap = GC.GetTotalMemory(forceFullCollection: true) - before;
        Console.WriteLine(
            $"{kept:N0} rows, {(double)heap / kept:N0} bytes per row on the heap; {repetitions} repetitions; median (range) in ms"
        );
        var options = new QueryOptions
        {
            Let = new Dictionary<string, object> { ["start"] = Start.AddMinutes(-1), ["end"] = Start.AddDays(1) },
        };
        var folder = Path.Combine(Repository.Root, "loadtest", "queries");
        foreach (var file in Directory.GetFiles(folder, "*.kql", SearchOption.AllDirectories).Order())
        {
            var text = File.ReadAllText(file);
            var found = KqlQuery.Parse(text).Run(snapshot, options).Rows; // the first run compiles
            var time = new Sample();
            for (var repetition = 0; repetition < repetitions; repetition++)
            {
                var watch = Stopwatch.StartNew();
                KqlQuery.Parse(text).Run(snapshot, options);
                time.Add(watch.Elapsed.TotalMilliseconds);
            }
            Console.WriteLine(
                $"{Path.GetFileNameWithoutExtension(file), -26} {time.Show("N1"), -20} {found, 7:N0} rows"
            );
        }
    }

    // Deliveries at 74/s, and samples of the broker and six nodes once per second.
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
