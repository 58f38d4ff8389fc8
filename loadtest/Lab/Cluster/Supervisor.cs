using System.Threading.Channels;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// Restarts processes that end by themselves, as a cluster does: after pauses that grow with each crash, and a limited number of times.
/// </summary>
/// <param name="restart">Restarts a process, by name, and waits until it is ready.</param>
internal sealed class Supervisor(Func<string, CancellationToken, Task> restart, Action<string> say, TimeProvider clock)
{
    /// <summary>Crashes in a row, each within a minute of the one before, after which a process is not restarted.</summary>
    public const int MaxInARow = 8;

    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1),
        LongestPause = TimeSpan.FromSeconds(30),
        IsStable = TimeSpan.FromMinutes(1);
    private readonly Dictionary<string, (int Crashes, DateTimeOffset Last)> _inARow = [];

    /// <summary>Returns when it is canceled.</summary>
    /// <param name="cancellationToken">Also ends restarts in progress.</param>
    public async Task RunAsync(ChannelReader<CrashException> crashes, CancellationToken cancellationToken)
    {
        var underWay = new List<Task>();
        try
        {
            await foreach (var crash in crashes.ReadAllAsync(cancellationToken))
            {
                say(crash.Message);
                underWay.RemoveAll(task => task.IsCompleted);
                if (PauseAfter(crash) is { } pause)
                    underWay.Add(RestartAsync(crash, pause, cancellationToken));
                else
                    SayLeft(crash);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            await Task.WhenAll(underWay).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <returns>null if it crashed too often.</returns>
    private TimeSpan? PauseAfter(CrashException crash)
    {
        var now = clock.GetUtcNow();
        var (before, last) = _inARow.GetValueOrDefault(crash.Process);
        var inARow = now - last > IsStable ? 1 : before + 1;
        _inARow[crash.Process] = (inARow, now);
        if (inARow > MaxInARow)
            return null;
        var pause = FirstPause * Math.Pow(2, inARow - 1);
        return pause < LongestPause ? pause : LongestPause;
    }

    private void SayLeft(CrashException crash) =>
        say(
            $"{crash.Process} ended {MaxInARow + 1} times in a row and is not restarted. "
                + "`./lab down` and `./lab up` restart the application."
        );

    private async Task RestartAsync(CrashException crash, TimeSpan pause, CancellationToken cancellationToken)
    {
        var paused = Task.Delay(pause, clock, cancellationToken); // starts before the message, which tests wait for
        say($"{crash.Process} is restarted in {pause.TotalSeconds:0} s.");
        await paused;
        try
        {
            await restart(crash.Process, cancellationToken);
            var lost = crash.Process is "redis" ? " Its data is lost: it was in memory only." : "";
            say($"{crash.Process} is ready again.{lost}");
        }
        catch (CrashException)
        {
            // The next crash is reported by itself, with a longer pause.
        }
        catch (LabException exception)
        {
            say(exception.Message);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            // The task is awaited only at the end, so this message is the only one.
            say($"{crash.Process} could not be restarted: {exception.Message}");
        }
    }
}
