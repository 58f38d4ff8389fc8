using System.Diagnostics;

namespace DroneDelivery.Lab.Cluster;

internal static class Executable
{
    /// <returns><c>null</c> if PATH doesn't contain the file.</returns>
    public static string? OnPath(string name) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);

    /// <summary>Runs a program. Reads both outputs, because a full pipe would block it.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(
        string program,
        IEnumerable<string> arguments,
        CancellationToken cancellationToken
    )
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        var (output, error) = (
            process.StandardOutput.ReadToEndAsync(cancellationToken),
            process.StandardError.ReadToEndAsync(cancellationToken)
        );
        await process.WaitForExitAsync(cancellationToken);
        return (process.ExitCode, await output, await error);
    }
}
