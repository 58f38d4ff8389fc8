using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Telemetry of an application whose latencies and costs are known.</summary>
internal sealed class WrittenTelemetry(int seed)
{
    private static readonly DateTimeOffset Start = new(2026, 11, 20, 8, 0, 0, TimeSpan.Zero);
    private readonly Random _random = new(seed);
    private readonly List<TelemetryItem> _items = [];

    /// <summary>Percent of each node that the system takes.</summary>
    public double SystemShare { get; init; } = 8;

    /// <summary>Percent of a core that each process takes without a request.</summary>
    public double Idle { get; init; }

    public int VCpu { get; init; } = 2;

    public IReadOnlyDictionary<string, double> Costs { get; init; } =
        DeclaredEnvironment.Load("azure-2020").Nodes!.CpuMilliseconds;

    /// <param name="minutes">The rate rises from minute to minute.</param>
    public IReadOnlyList<TelemetryItem> Write(int minutes, IReadOnlyDictionary<string, LogNormal> latency)
    {
        for (var minute = 0; minute < minutes; minute++)
        {
            var messages = 20 + 10 * minute;
            for (var i = 0; i < messages; i++)
                Message(Start.AddMinutes(minute + (i + 0.5) / messages), latency);
            Cpu(Start.AddMinutes(minute + 1), messages);
        }

        return _items;
    }

    private void Message(DateTimeOffset time, IReadOnlyDictionary<string, LogNormal> latency)
    {
        Item(time, ItemKind.Request, "ingestion", "POST /api/deliveryrequests", "", 12);
        Item(time, ItemKind.Request, "workflow", "ServiceBusProcessor.ProcessMessage", "", 246);
        foreach (var (process, distribution) in latency)
        {
            var (name, target) =
                process == "broker"
                    ? ("ServiceBusReceiver.Complete", "bus.servicebus.windows.net/delivery-requests")
                    : ($"PUT /api/{process}/{{id}}", $"{process}.default.svc:80");
            Item(time, ItemKind.Dependency, "workflow", name, target, distribution.Next(_random));
            if (process != "broker")
                Item(time, ItemKind.Request, process, $"PUT /api/{process}/{{id}}", "", 5);
        }
    }

    private void Cpu(DateTimeOffset time, int messages)
    {
        var all = 0.0;
        foreach (var (service, cost) in Costs)
        {
            var share = messages * cost / 60_000;
            all += share;
            _items.Add(
                new(ItemKind.ProcessCpu, time, service, $"{service}-0", "", "", 100 * share + Idle, Success: true)
            );
        }

        foreach (var node in (string[])["node-0", "node-1"])
        {
            var busy = SystemShare + 100 * (all + Idle / 100 * Costs.Count) / (2 * VCpu);
            _items.Add(new(ItemKind.NodeCpu, time, "", node, "", "", busy, Success: true));
        }
    }

    private void Item(DateTimeOffset time, ItemKind kind, string role, string name, string target, double duration) =>
        _items.Add(new(kind, time, role, $"{role}-0", name, target, duration, Success: true));
}
