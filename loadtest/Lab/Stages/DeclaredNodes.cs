namespace DroneDelivery.Lab.Stages;

/// <summary>The virtual nodes of an environment, and what the application's work costs them. All of it is emulated CPU time.</summary>
/// <param name="VCpu">Holds that one node serves at the same time.</param>
/// <param name="System">What the system of a node takes before the application gets anything.</param>
/// <param name="CpuMilliseconds">Service → CPU time of one request or message.</param>
internal sealed record DeclaredNodes(
    int Count,
    int VCpu,
    SystemShare System,
    IReadOnlyDictionary<string, double> CpuMilliseconds
)
{
    /// <summary>With the knobs <c>nodes.count</c>, <c>nodes.vCpu</c> and <c>nodes.cpuCost</c> where they are set.</summary>
    public DeclaredNodes With(KnobSet knobs) =>
        Costing(knobs.Number("nodes.cpuCost")) with
        {
            Count = (int)knobs.Number("nodes.count", Count),
            VCpu = (int)knobs.Number("nodes.vCpu", VCpu),
        };

    /// <summary>The application's work at so many times its cost. The system's share stays.</summary>
    public DeclaredNodes Costing(double factor) =>
        this with
        {
            CpuMilliseconds = CpuMilliseconds.ToDictionary(cost => cost.Key, cost => cost.Value * factor),
        };

    /// <summary>The first field that cannot be, and what it has to be; null when all can.</summary>
    public string? FirstFault() =>
        Count < 1 ? "nodes.count has to be at least 1"
        : VCpu < 1 ? "nodes.vCpu has to be at least 1"
        : System.EveryMilliseconds < 1 ? "nodes.system.everyMilliseconds has to be at least 1"
        : System.JobMilliseconds < 0 || System.Servers >= VCpu
            ? "nodes.system.jobMilliseconds has to leave some of the CPU to the application, and not be negative"
        : Service.All.FirstOrDefault(it => CpuMilliseconds.GetValueOrDefault(it.Name, -1.0) < 0) is { } service
            ? $"nodes.cpuMilliseconds.{service.Name} has to be there, and not be negative"
        : null;
}

/// <summary>A job of the system that comes to every node at a fixed interval and queues like any other.</summary>
internal sealed record SystemShare(double JobMilliseconds, double EveryMilliseconds)
{
    /// <summary>Servers of a node that it keeps busy: 0.16 of 2.</summary>
    public double Servers => JobMilliseconds / EveryMilliseconds;
}
