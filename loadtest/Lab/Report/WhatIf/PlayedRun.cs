using System.Threading.RateLimiting;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>How the run of a page is doing.</summary>
/// <param name="ExitCode">Null: it has not ended.</param>
internal sealed record PlayedState(bool IsRunning, int? ExitCode, string LastLine);

/// <summary>The run that a page started: one at a time, a process of its own, which ends with the server of the page.</summary>
/// <param name="ports">Where its processes listen.</param>
internal sealed class PlayedRun(string folder, Ports ports) : IAsyncDisposable
{
    // A run needs some of it to stop its processes and to keep what it has; who ends the lab waits for 30 s.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(25);

    private readonly ConcurrencyLimiter _one = new(new() { PermitLimit = 1, QueueLimit = int.MaxValue });
    private ChildProcess? _run;

    public string LivePage => $"http://localhost:{ports.Collector}/";

    private string Log => Path.Combine(folder, "run.log");

    /// <param name="arguments">What is typed after <c>./lab</c>.</param>
    /// <returns>Why it was not started, in a sentence; null: it was.</returns>
    public async Task<string?> StartAsync(IReadOnlyList<string> arguments, CancellationToken cancellationToken)
    {
        using var turn = await _one.AcquireAsync(1, cancellationToken);
        try
        {
            if (_run is { Ended.IsCompleted: false })
                return "A run that this page started is being played. Wait for its end.";
            if (LabLock.Owner() is { } owner)
                return LabLock.IsRunning(owner);
            await StopAsync();
            Directory.CreateDirectory(folder);
            File.Delete(Log);
            _run = Start(arguments);
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return $"The run cannot be kept in {folder}: {exception.Message}";
        }
    }

    public async Task<PlayedState?> StateAsync(CancellationToken cancellationToken) =>
        _run switch
        {
            null => null,
            { Ended.IsCompleted: true } run => new(false, await run.Ended, await LastLineAsync(cancellationToken)),
            _ => new(true, null, await LastLineAsync(cancellationToken)),
        };

    private async Task<string> LastLineAsync(CancellationToken cancellationToken) =>
        (await LogTail.ReadAsync(Log, cancellationToken)).TrimEnd().Split('\n')[^1].Trim();

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _one.Dispose();
    }

    private ChildProcess Start(IReadOnlyList<string> arguments) =>
        ChildProcess.Start(
            "run",
            Log,
            Repository.Root,
            new Dictionary<string, string>(),
            [
                Repository.Dotnet,
                Repository.Assembly("Lab"),
                .. arguments,
                .. ports.Offset == 0 ? Array.Empty<string>() : ["--port-offset", $"{ports.Offset}"],
            ]
        );

    private async Task StopAsync()
    {
        if (_run is null)
            return;
        await _run.StopAsync(Patience);
        await _run.DisposeAsync();
    }
}
