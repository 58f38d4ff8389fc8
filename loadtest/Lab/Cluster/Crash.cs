namespace DroneDelivery.Lab.Cluster;

/// <summary>A process of the application exited unexpectedly.</summary>
internal sealed class CrashException(string name, int exitCode, string log)
    : LabException(
        $"{name} exited unexpectedly with exit code {exitCode}. Its log, {log}, ends with:{Environment.NewLine}{LastLines(log, 12)}"
    )
{
    public string Process { get; } = name;

    public int Exit { get; } = exitCode;

    private static string LastLines(string log, int count) =>
        File.Exists(log)
            ? string.Join(Environment.NewLine, File.ReadLines(log).TakeLast(count).Select(line => "  " + line))
            : "  (no log)";
}

/// <summary>Ends work that waits for a crashed process.</summary>
internal static class CrashEndsWork
{
    // Includes the half second in which an exit can still be requested.
    private static readonly TimeSpan CrashIsKnownAfter = TimeSpan.FromSeconds(2);

    /// <exception cref="CrashException">A process exited before the work ended.</exception>
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

    /// <summary>Returns the crash that explains a failed request, or the failure.</summary>
    public static async Task<LabException> CauseOfAsync(this Application application, Exception exception)
    {
        await Task.WhenAny(application.Crashed, Task.Delay(CrashIsKnownAfter));
        return application.Crashed.IsCompleted
            ? await application.Crashed
            : new LabException($"A process of the application doesn't respond: {exception.Message.Split('\n')[0]}");
    }
}
