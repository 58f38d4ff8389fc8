using System.Runtime.InteropServices;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Judge;

/// <summary>What the figures were measured on.</summary>
/// <param name="Memory">Bytes.</param>
/// <param name="Commit">Of the sources, with a plus when they were changed since; null outside a git repository.</param>
/// <param name="Redis">First line of <c>redis-server --version</c>; likewise k6.</param>
internal sealed record MachineRecord(
    string System,
    string Architecture,
    int Cores,
    long Memory,
    string Runtime,
    string? Commit,
    string? Redis,
    string? K6
)
{
    public static MachineRecord Simulated { get; } =
        new("simulated", "", 0, 0, RuntimeInformation.FrameworkDescription, null, null, null);

    public static async Task<MachineRecord> ReadAsync(CancellationToken cancellationToken) =>
        new(
            RuntimeInformation.OSDescription,
            RuntimeInformation.OSArchitecture.ToString(),
            Environment.ProcessorCount,
            GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
            RuntimeInformation.FrameworkDescription,
            await SaysAsync("git", ["-C", Repository.Root, "describe", "--always", "--dirty=+"], cancellationToken),
            await SaysAsync("redis-server", ["--version"], cancellationToken),
            await SaysAsync("k6", ["version"], cancellationToken)
        );

    /// <returns>The first line of a program's output, or null when there is no such program or it fails.</returns>
    private static async Task<string?> SaysAsync(
        string program,
        string[] arguments,
        CancellationToken cancellationToken
    ) =>
        Executable.OnPath(program) is { } executable
        && await Executable.RunAsync(executable, arguments, cancellationToken) is (0, var output, _)
            ? output.Split('\n')[0]
            : null;
}
