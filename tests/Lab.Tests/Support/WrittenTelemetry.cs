using System.Globalization;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Telemetry of an application whose latencies and costs are known, as somebody would export it.</summary>
internal sealed class WrittenTelemetry(int seed)
{
    public const string AllColumns =
        "timestamp,itemType,cloud_RoleName,cloud_RoleInstance,name,target,duration,success,value";

    private static readonly DateTimeOffset Start = new(2026, 11, 20, 8, 0, 0, TimeSpan.Zero);
    private readonly Random _random = new(seed);
    private readonly StringBuilder _csv = new();

    /// <summary>Percent of each node that the system takes.</summary>
    public double SystemShare { get; init; } = 8;

    /// <summary>Percent of a core that each process takes without a request.</summary>
    public double Idle { get; init; }

    public int VCpu { get; init; } = 2;

    public IReadOnlyDictionary<string, double> Costs { get; init; } =
        DeclaredEnvironment.Load("azure-2020").Nodes!.CpuMilliseconds;

    public string Csv => _csv.ToString();

    /// <param name="minutes">The rate rises from minute to minute.</param>
    public WrittenTelemetry Write(int minutes, IReadOnlyDictionary<string, LogNormal> latency)
    {
        _csv.Clear().AppendLine(AllColumns);
        for (var minute = 0; minute < minutes; minute++)
        {
            var messages = 20 + 10 * minute;
            for (var i = 0; i < messages; i++)
                Message(Start.AddMinutes(minute + (i + 0.5) / messages), latency);
            Cpu(Start.AddMinutes(minute + 1), messages);
        }

        return this;
    }

    private void Message(DateTimeOffset time, IReadOnlyDictionary<string, LogNormal> latency)
    {
        Item(time, "request", "ingestion", "POST /api/deliveryrequests", "", 12);
        Item(time, "request", "workflow", "ServiceBusProcessor.ProcessMessage", "", 246);
        foreach (var (process, distribution) in latency)
        {
            var (name, target) =
                process == "broker"
                    ? ("ServiceBusReceiver.Complete", "bus.servicebus.windows.net/delivery-requests")
                    : ($"PUT /api/{process}/{{id}}", $"{process}.default.svc:80");
            Item(time, "dependency", "workflow", name, target, distribution.Next(_random));
            if (process != "broker")
                Item(time, "request", process, $"PUT /api/{process}/{{id}}", "", 5);
        }
    }

    private void Cpu(DateTimeOffset time, int messages)
    {
        var all = 0.0;
        foreach (var (service, cost) in Costs)
        {
            var share = messages * cost / 60_000;
            all += share;
            Counter(time, "performanceCounter", service, $"{service}-0", "% Processor Time", 100 * share + Idle);
            // Application Insights collects it too: the same, divided by the cores.
            Counter(
                time.AddMilliseconds(3),
                "performanceCounter",
                service,
                $"{service}-0",
                "% Processor Time Normalized",
                (100 * share + Idle) / 4
            );
        }

        foreach (var node in (string[])["node-0", "node-1"])
            Counter(time, "node", "", node, "", SystemShare + 100 * (all + Idle / 100 * Costs.Count) / (2 * VCpu));
    }

    private void Item(DateTimeOffset time, string type, string role, string name, string target, double duration) =>
        _csv.AppendLine(
            CultureInfo.InvariantCulture,
            $"{time:O},{type},{role},{role}-0,{name},{target},{duration:R},True,"
        );

    private void Counter(DateTimeOffset time, string type, string role, string instance, string name, double value) =>
        _csv.AppendLine(CultureInfo.InvariantCulture, $"{time:O},{type},{role},{instance},{name},,,,{value:R}");
}
