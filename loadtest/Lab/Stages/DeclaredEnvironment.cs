using DroneDelivery.Lab.Nodes;

namespace DroneDelivery.Lab.Stages;

/// <summary>What one machine stands in for: the latency of stores that would be remote, the CPU of nodes that would be small. Off unless chosen.</summary>
/// <param name="Name">File name without <c>.json</c>.</param>
/// <param name="Description">One sentence.</param>
/// <param name="Source">Where the figures come from.</param>
/// <param name="Latency">Process (<c>broker</c> for settlement, <c>delivery</c>, …) → distribution.</param>
/// <param name="Nodes">Null: the CPU is the machine's own.</param>
internal sealed record DeclaredEnvironment(
    string Name, string Description, string Source, IReadOnlyDictionary<string, LogNormal> Latency, DeclaredNodes? Nodes = null)
{
    /// <summary>Nothing is emulated.</summary>
    public static DeclaredEnvironment None { get; } = new("none", "Nothing is emulated.", "", new Dictionary<string, LogNormal>());

    public static DeclaredEnvironment Load(string name) => name == None.Name ? None : LabFile.Read<DeclaredEnvironment>("environments", name);
}

/// <summary>A log-normal distribution of milliseconds.</summary>
/// <param name="Mu">Mean of ln(ms): ln of the median.</param>
/// <param name="Sigma">Standard deviation of ln(ms).</param>
internal sealed record LogNormal(double Mu, double Sigma)
{
    /// <summary>Milliseconds.</summary>
    public double Mean => Math.Exp(Mu + Sigma * Sigma / 2);
}
