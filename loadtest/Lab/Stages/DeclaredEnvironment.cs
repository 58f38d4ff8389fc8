using DroneDelivery.Lab.Nodes;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Stages;

/// <summary>
/// What one machine stands in for: the latency of stores that would be remote, the CPU of nodes that would be small. Off unless chosen.
/// </summary>
/// <param name="Name">File name without <c>.json</c>.</param>
/// <param name="Description">One sentence.</param>
/// <param name="Source">Where the figures come from.</param>
/// <param name="Latency">Process (<c>broker</c> for settlement, <c>delivery</c>, …) → distribution.</param>
/// <param name="Nodes">Null: the CPU is the machine's own.</param>
internal sealed record DeclaredEnvironment(
    string Name, string Description, string Source, IReadOnlyDictionary<string, LogNormal> Latency, DeclaredNodes? Nodes = null)
{
    private const string Broker = "broker";

    /// <summary>Nothing is emulated.</summary>
    public static DeclaredEnvironment None { get; } = new("none", "Nothing is emulated.", "", new Dictionary<string, LogNormal>());

    public static DeclaredEnvironment Load(string name) =>
        name == None.Name ? None : LabFile.Read<DeclaredEnvironment>("environments", name).Valid();

    /// <exception cref="BadInputException">A field with which nothing can be emulated; the message names it.</exception>
    public DeclaredEnvironment Valid() => FirstFault() is { } fault ? throw new BadInputException($"environment {Name}: {fault}.") : this;

    private string? FirstFault() =>
        Latency.Keys.FirstOrDefault(process => process != Broker && Service.All.All(service => service.Name != process)) is { } unknown
            ? $"latency.{unknown} is of no process: there are {Broker} and {string.Join(", ", Service.All.Select(service => service.Name))}"
            : Nodes?.FirstFault();
}

/// <summary>A log-normal distribution of milliseconds.</summary>
/// <param name="Mu">Mean of ln(ms): ln of the median.</param>
/// <param name="Sigma">Standard deviation of ln(ms).</param>
internal sealed record LogNormal(double Mu, double Sigma)
{
    /// <summary>Milliseconds.</summary>
    public double Mean => Math.Exp(Mu + Sigma * Sigma / 2);

    /// <summary>Milliseconds of one sample.</summary>
    public double Next(Random random)
    {
        // Box and Muller: two uniform numbers make a normal one. 1 − x, because 0 has no logarithm.
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return Math.Exp(Mu + Sigma * normal);
    }
}
