using DroneDelivery.Model;

namespace DroneDelivery.Lab.Stages;

/// <summary>An emulated environment: the latency of remote stores and the CPU of small nodes.</summary>
/// <param name="Latency">By process (<c>broker</c> for settlement, <c>delivery</c>, …).</param>
/// <param name="Nodes"><c>null</c> to use the machine's CPU.</param>
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

    /// <param name="name">A file of <c>loadtest/environments</c>, a path that ends with <c>.json</c>, or <c>none</c>.</param>
    public static DeclaredEnvironment Load(string name) =>
        (
            name == None.Name ? None
            : IsFile(name) ? LabFile.ReadFile<DeclaredEnvironment>(name)
            : LabFile.Read<DeclaredEnvironment>("environments", name)
        ).Valid();

    /// <summary>Returns whether a name is a path.</summary>
    public static bool IsFile(string name) => name.EndsWith(".json", StringComparison.OrdinalIgnoreCase);

    public DeclaredEnvironment Valid() =>
        FirstFault() is { } fault ? throw new BadInputException($"environment {Name}: {fault}.") : this;

    private string? FirstFault() =>
        Latency.Keys.FirstOrDefault(process => process != Broker && Service.All.All(service => service.Name != process))
            is { } unknown
            ? $"latency.{unknown} is not a process: there are {Broker} and {string.Join(", ", Service.All.Select(service => service.Name))}"
            : Latency
                .Select(latency => LatencyFault(latency.Key, latency.Value))
                .FirstOrDefault(fault => fault is not null)
                ?? Nodes?.FirstFault();

    // The ranges that the services accept.
    private static string? LatencyFault(string process, LogNormal latency) =>
        latency.Mu is not (>= -5 and <= 12) ? $"latency.{process}.mu must be from -5 to 12"
        : latency.Sigma is not (>= 0 and <= 3) ? $"latency.{process}.sigma must be from 0 to 3"
        : null;
}
