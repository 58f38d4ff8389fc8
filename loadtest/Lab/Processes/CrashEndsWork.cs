namespace DroneDelivery.Lab.Processes;

/// <summary>What waits for a process that is gone would wait for ever.</summary>
internal static class CrashEndsWork
{
    /// <summary>Waits for the work, or for the crash that ends it.</summary>
    /// <param name="crashed">Of the application.</param>
    /// <param name="work">Under way.</param>
    /// <param name="ended">Cancels the work.</param>
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
}
