using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Telemetry of an application with known latencies and costs, and one message per second.</summary>
internal sealed class WrittenTelemetry(int seed)
{
    private static readonly DateTimeOffset Start = new(2026, 11, 20, 8, 0, 0, TimeSpan.Zero);
    private readonly Random _random = new(seed);

    /// <summary>The system's CPU use, in percent of each node.</summary>
    public double SystemShare { get; init; } = 8;

    public int VCpu { get; init; } = 2;

    public IReadOnlyDictionary<string, double> Costs { get; init; } =
        DeclaredEnvironment.Load("azure-2020").Nodes!.CpuMilliseconds;

    public (RunTelemetry Telemetry, StageTimes Stage) Write(int seconds, IReadOnlyDictionary<string, LogNormal> latency)
    {
        var store = new TelemetryStore();
        var samples = new RunSamples(store);
        for (var second = 1; second < seconds; second++)
        {
            Message(store, Start.AddSeconds(second), latency);
            Cpu(Start.AddSeconds(second), samples);
        }
        return (new(store.Snapshot()), new("2", Start, Start.AddSeconds(seconds)));
    }

    private void Message(TelemetryStore store, DateTimeOffset time, IReadOnlyDictionary<string, LogNormal> latency)
    {
        Step(store, time, "POST /api/deliveryrequests", 12, role: "ingestion");
        Step(store, time, "ServiceBusProcessor.ProcessMessage", 246);
        foreach (var (process, distribution) in latency)
        {
            var milliseconds = distribution.Next(_random);
            if (process == "broker")
            {
                Step(store, time, "ServiceBusReceiver.Complete", milliseconds, "localhost/delivery-requests");
                continue;
            }
            Step(store, time, $"PUT /api/{process}/{{id}}", milliseconds, target: process);
            Step(store, time, $"PUT /api/{process}/{{id}}", 5, role: process);
        }
    }

    private static void Step(
        TelemetryStore store,
        DateTimeOffset time,
        string name,
        double milliseconds,
        string target = "",
        string role = "workflow"
    ) => SentItem.AddStep(store, time, "operation", "id", name, milliseconds / 1000, target, role: role);

    private void Cpu(DateTimeOffset time, RunSamples samples)
    {
        foreach (var (service, milliseconds) in Costs)
            samples.Replica(time, $"{service}-0", milliseconds / 10);
        foreach (var node in (string[])["node-0", "node-1"])
            samples.Node(time, node, SystemShare + Costs.Values.Sum() / 10 / 2 / VCpu);
    }
}
