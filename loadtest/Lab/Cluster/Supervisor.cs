using System.Threading.Channels;

namespace DroneDelivery.Lab.Cluster;

/// <summary>Restarts crashed processes as a cluster does: with growing delays, a limited number of times.</summary>
internal sealed class Supervisor(Func<string, CancellationToken, Task> restart, Action<string> say, TimeProvider clock)
{
    /// <summary>
    /// The number of consecutive crashes, each within a minute of the previous one, after which a process isn't restarted.
    /// </summary>
    public const int MaxInARow = 8;

    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1),
        LongestPause = TimeSpan.FromSeconds(30),
        IsStable = TimeSpan.FromMinutes(1);
    private readonly Dictionary<string, (int Crashes, DateTimeOffset Last)> _inARow = [];

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

    /// <returns><c>null</c> if it crashed too often.</returns>
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
            $"{crash.Process} exited {MaxInARow + 1} times in a row and won't be restarted. "
                + "`./lab down` and `./lab up` restart the application."
        );

    private async Task RestartAsync(CrashException crash, TimeSpan pause, CancellationToken cancellationToken)
    {
        var paused = Task.Delay(pause, clock, cancellationToken); // starts before the message, which tests wait for
        say($"{crash.Process} restarts in {pause.TotalSeconds:0} s.");
        await paused;
        try
        {
            await restart(crash.Process, cancellationToken);
            var lost = crash.Process is "redis" ? " Its in-memory data is lost." : "";
            say($"{crash.Process} is ready again.{lost}");
        }
        catch (CrashException)
        {
            // The next crash is reported separately, with a longer delay.
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
