namespace DroneDelivery.Lab.Stages;

/// <summary>The virtual nodes of an environment and the emulated CPU costs.</summary>
/// <param name="VCpu">The number of concurrent holds of one node.</param>
/// <param name="CpuMilliseconds">Per request or message, by service.</param>
internal sealed record DeclaredNodes(
    int Count,
    int VCpu,
    SystemShare System,
    IReadOnlyDictionary<string, double> CpuMilliseconds
)
{
    /// <summary>Applies the settings <c>nodes.count</c>, <c>nodes.vCpu</c> and <c>nodes.cpuCost</c>.</summary>
    public DeclaredNodes With(KnobSet knobs) =>
        Costing(knobs.Number("nodes.cpuCost")) with
        {
            Count = (int)knobs.Number("nodes.count", Count),
            VCpu = (int)knobs.Number("nodes.vCpu", VCpu),
        };

    /// <summary>Multiplies the CPU costs of the application, but not of the system.</summary>
    public DeclaredNodes Costing(double factor) =>
        this with
        {
            CpuMilliseconds = CpuMilliseconds.ToDictionary(cost => cost.Key, cost => cost.Value * factor),
        };

    /// <summary>Returns an error for the first invalid field, or <c>null</c>.</summary>
    public string? FirstFault() =>
        Count < 1 ? "nodes.count must be at least 1"
        : VCpu < 1 ? "nodes.vCpu must be at least 1"
        : System.EveryMilliseconds < 1 ? "nodes.system.everyMilliseconds must be at least 1"
        : System.JobMilliseconds < 0 || System.Servers >= VCpu
            ? "nodes.system.jobMilliseconds must not be negative, and must leave CPU for the application"
        : Service.All.FirstOrDefault(one => CpuMilliseconds.GetValueOrDefault(one.Name, -1.0) < 0) is { } service
            ? $"nodes.cpuMilliseconds.{service.Name} must be present and not negative"
        : null;
}

/// <summary>A periodic job of the system on every node.</summary>
internal sealed record SystemShare(double JobMilliseconds, double EveryMilliseconds)
{
    /// <summary>The number of busy vCPUs of a node, for example 0.16 of 2.</summary>
    public double Servers => JobMilliseconds / EveryMilliseconds;
}
