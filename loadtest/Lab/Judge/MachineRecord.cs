using System.Runtime.InteropServices;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Judge;

/// <summary>The machine and software of a run.</summary>
/// <param name="Commit">Ends with a plus if the sources were changed since; <c>null</c> outside a Git repository.</param>
/// <param name="Redis">The first line of <c>redis-server --version</c>; also for k6.</param>
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
            await ReadFirstLineAsync(
                "git",
                ["-C", Repository.Root, "describe", "--always", "--dirty=+"],
                cancellationToken
            ),
            await ReadFirstLineAsync("redis-server", ["--version"], cancellationToken),
            await ReadFirstLineAsync("k6", ["version"], cancellationToken)
        );

    /// <returns><c>null</c> if the program doesn't exist or fails.</returns>
    private static async Task<string?> ReadFirstLineAsync(
        string program,
        string[] arguments,
        CancellationToken cancellationToken
    ) =>
        Executable.OnPath(program) is { } executable
        && await Executable.RunAsync(executable, arguments, cancellationToken) is (0, var output, _)
            ? output.Split('\n')[0]
            : null;
}
