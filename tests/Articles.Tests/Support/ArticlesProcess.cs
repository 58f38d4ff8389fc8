using System.Diagnostics;
using DroneDelivery.Lab;

namespace DroneDelivery.Articles.Tests.Support;

/// <summary><c>./lab experiment</c> as a process with its own artifacts folder.</summary>
internal sealed class ArticlesProcess : IDisposable
{
    private readonly OwnFolder _folder = new();

    public string Experiments => Path.Combine(_folder.Path, "experiments");

    public async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] words)
    {
        var start = new ProcessStartInfo(
            Repository.Dotnet,
            [typeof(ExperimentCommand).Assembly.Location, "experiment", .. words]
        )
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["LAB_ARTIFACTS"] = _folder.Path;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(Cancelled);
        var error = process.StandardError.ReadToEndAsync(Cancelled);
        await process.WaitForExitAsync(Cancelled);
        return (process.ExitCode, await output, await error);
    }

    public void Dispose() => _folder.Dispose();
}
