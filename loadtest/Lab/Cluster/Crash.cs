namespace DroneDelivery.Lab.Cluster;

/// <summary>A process of the application ended although nobody had asked it to.</summary>
internal sealed class CrashException(string name, int exitCode, string log)
    : LabException(
        $"{name} ended by itself with exit code {exitCode}. Its log, {log}, ends with:{Environment.NewLine}{LastLines(log, 12)}"
    )
{
    public string Process { get; } = name;

    /// <summary>Of the process; that of the lab is another.</summary>
    public int Exit { get; } = exitCode;

    private static string LastLines(string log, int count) =>
        File.Exists(log)
            ? string.Join(Environment.NewLine, File.ReadLines(log).TakeLast(count).Select(line => "  " + line))
            : "  (no log)";
}

/// <summary>What waits for a process that is gone would wait for ever.</summary>
internal static class CrashEndsWork
{
    // Half a second, in which the process may have been asked to end.
    private static readonly TimeSpan CrashIsKnownAfter = TimeSpan.FromSeconds(2);

    /// <summary>Waits for the work, or for the crash that ends it.</summary>
    /// <exception cref="CrashException">A process ended by itself before the work did.</exception>
    public static async Task EndsAsync(this Task<CrashException> crashed, Task work, CancellationTokenSource ended)
    {
        if (await Task.WhenAny(work, crashed) != work)
        {
            await ended.CancelAsync();
            await work.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw await crashed;
        }

        await work;
    }

    /// <summary>Somebody did not answer. If that is because a process has ended, this is what has to be said.</summary>
    public static async Task<LabException> CauseOfAsync(this Application application, Exception exception)
    {
        await Task.WhenAny(application.Crashed, Task.Delay(CrashIsKnownAfter));
        return application.Crashed.IsCompleted
            ? await application.Crashed
            : new LabException($"A process of the application does not answer: {exception.Message.Split('\n')[0]}");
    }
}
