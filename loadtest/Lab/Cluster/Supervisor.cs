using System.Threading.Channels;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// Starts again what ends by itself, as a cluster does: after pauses that grow while it keeps on ending, and not for ever.
/// </summary>
/// <param name="restart">Starts a process anew, by name, and waits until it is ready.</param>
internal sealed class Supervisor(Func<string, CancellationToken, Task> restart, Action<string> say, TimeProvider clock)
{
    /// <summary>Crashes in a row, each within a minute of the one before, after which a process is left ended.</summary>
    public const int MaxInARow = 8;

    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1),
        LongestPause = TimeSpan.FromSeconds(30),
        IsStable = TimeSpan.FromMinutes(1);
    private readonly Dictionary<string, (int Crashes, DateTimeOffset Last)> _inARow = [];

    /// <summary>Until it is cancelled.</summary>
    /// <param name="cancellationToken">Ends it; restarts under way end, too.</param>
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

    /// <returns>Null: it has ended too often.</returns>
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
            $"{crash.Process} ended {MaxInARow + 1} times in a row and is not started again. "
                + "`./lab down` and `./lab up` start all of it anew."
        );

    private async Task RestartAsync(CrashException crash, TimeSpan pause, CancellationToken cancellationToken)
    {
        var paused = Task.Delay(pause, clock, cancellationToken); // begins before anybody is told of it
        say($"{crash.Process} is started again in {pause.TotalSeconds:0} s.");
        await paused;
        try
        {
            await restart(crash.Process, cancellationToken);
            var lost = crash.Process is "redis" ? " What it held is gone: it keeps it in memory only." : "";
            say($"{crash.Process} is ready again.{lost}");
        }
        catch (CrashException)
        {
            // It ended again: that is a crash of its own, with a longer pause.
        }
        catch (LabException exception)
        {
            say(exception.Message);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            // Nobody waits for this task before the end: what is not said here is never said.
            say($"{crash.Process} could not be started again: {exception.Message}");
        }
    }
}
