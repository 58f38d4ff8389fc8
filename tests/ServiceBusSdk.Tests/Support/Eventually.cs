namespace DroneDelivery.ServiceBusSdk.Tests.Support;

/// <summary>Waits for what another thread, or the broker, is about to do; the limit is only for tests that fail.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public static Task HoldsAsync(Func<bool> condition) => HoldsAsync(() => Task.FromResult(condition()));

    public static async Task HoldsAsync(Func<Task<bool>> condition)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(started) < Limit, "What the test waits for did not come.");
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }
}
