using System.Diagnostics;
using System.Text.Json;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>The <c>lab</c> command as a person runs it: a process of its own, with its own folder and ports.</summary>
internal sealed class LabProcess : IAsyncDisposable
{
    private readonly List<Process> _processes = [];

    public string Artifacts { get; } = Directory.CreateTempSubdirectory("lab-test").FullName;

    /// <summary>Where the lab looks for programs; null: where the test does.</summary>
    public string? Path { get; init; }

    public int PortOffset { get; } = FreePorts.Offset();

    /// <summary>What <c>up</c> wrote about itself.</summary>
    public LabState State => JsonSerializer.Deserialize<LabState>(File.ReadAllText(System.IO.Path.Combine(Artifacts, "lab", "state.json")), JsonSerializerOptions.Web)!;

    /// <summary>Runs a verb to its end.</summary>
    public async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments)
    {
        using var process = Start(arguments);
        var output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        var error = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (process.ExitCode, await output, await error);
    }

    /// <summary>Starts <c>up</c> and returns when it says that it runs.</summary>
    public async Task<Process> UpAsync(params string[] arguments)
    {
        var process = Start(["up", "--port-offset", $"{PortOffset}", .. arguments]);
        _processes.Add(process);
        var line = await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        Assert.True(line?.StartsWith("Running.", StringComparison.Ordinal), line ?? await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken));
        return process;
    }

    /// <summary>Starts a verb that goes on, and returns with its first line.</summary>
    public async Task<(Process Process, string FirstLine)> LaunchAsync(params string[] arguments)
    {
        var process = Start(arguments);
        _processes.Add(process);
        return (process, await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) ?? "");
    }

    public async ValueTask DisposeAsync()
    {
        if (_processes.Count > 0)
            await RunAsync("down");
        foreach (var process in _processes)
            process.Dispose();
        Directory.Delete(Artifacts, recursive: true);
    }

    private Process Start(IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(Repository.Dotnet, [typeof(LabException).Assembly.Location, .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["LAB_ARTIFACTS"] = Artifacts;
        if (Path is not null)
            start.Environment["PATH"] = Path;
        return Process.Start(start)!;
    }
}
