using DroneDelivery.Model;

namespace DroneDelivery.Lab.Stages;

/// <summary>
/// What one machine stands in for: the latency of stores that would be remote, the CPU of nodes that would be small. Off unless chosen.
/// </summary>
/// <param name="Latency">Process (<c>broker</c> for settlement, <c>delivery</c>, …) → distribution.</param>
/// <param name="Nodes">Null: the CPU is the machine's own.</param>
internal sealed record DeclaredEnvironment(
    string Name,
    string Description,
    string Source,
    IReadOnlyDictionary<string, LogNormal> Latency,
    DeclaredNodes? Nodes = null
)
{
    private const string Broker = "broker";

    public static DeclaredEnvironment None { get; } =
        new("none", "Nothing is emulated.", "", new Dictionary<string, LogNormal>());

    /// <param name="name">A file of <c>loadtest/environments</c> without <c>.json</c>, a path that ends with it, or none.</param>
    public static DeclaredEnvironment Load(string name) =>
        (
            name == None.Name ? None
            : IsFile(name) ? LabFile.ReadFile<DeclaredEnvironment>(name)
            : LabFile.Read<DeclaredEnvironment>("environments", name)
        ).Valid();

    /// <summary>Whether a name is a path, rather than that of an environment of the repository.</summary>
    public static bool IsFile(string name) => name.EndsWith(".json", StringComparison.OrdinalIgnoreCase);

    public DeclaredEnvironment Valid() =>
        FirstFault() is { } fault ? throw new BadInputException($"environment {Name}: {fault}.") : this;

    private string? FirstFault() =>
        Latency.Keys.FirstOrDefault(process => process != Broker && Service.All.All(service => service.Name != process))
            is { } unknown
            ? $"latency.{unknown} is of no process: there are {Broker} and {string.Join(", ", Service.All.Select(service => service.Name))}"
            : Latency.Select(it => LatencyFault(it.Key, it.Value)).FirstOrDefault(fault => fault is not null)
                ?? Nodes?.FirstFault();

    // The ranges that the services accept.
    private static string? LatencyFault(string process, LogNormal latency) =>
        latency.Mu is not (>= -5 and <= 12) ? $"latency.{process}.mu has to be from -5 to 12"
        : latency.Sigma is not (>= 0 and <= 3) ? $"latency.{process}.sigma has to be from 0 to 3"
        : null;
}
