namespace DroneDelivery.Lab.Tests.Support;

internal static class DrivenClock
{
    /// <summary>
    /// Moves the clock from timer to timer until the work completes, each time after the work has begun to wait for the clock. However slow
    /// the machine is, the clock never runs ahead of the work.
    /// </summary>
    /// <param name="isWaiting">Whether the work has registered its next timer and has no call in flight.</param>
    public static async Task<T> AdvanceUntilAsync<T>(this ManualTimeProvider clock, Task<T> work, Func<bool> isWaiting)
    {
        while (true)
        {
            await UntilAsync(() => work.IsCompleted || isWaiting());
            if (work.IsCompleted)
                return await work;
            clock.Advance(clock.UntilNextTimer!.Value);
        }
    }
}
