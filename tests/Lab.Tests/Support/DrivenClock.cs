namespace DroneDelivery.Lab.Tests.Support;

internal static class DrivenClock
{
    /// <summary>
    /// Advances the clock from timer to timer until the work completes, each time after the work has started to wait
    /// for the clock. Even on a slow machine, the clock never runs ahead of the work.
    /// </summary>
    /// <param name="isWaiting">
    /// Returns <c>true</c> if the work has registered its next timer and has no call in flight.
    /// </param>
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
