namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>Waits for what another thread is about to do; the limit is only for tests that fail.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public static async Task HoldsAsync(Func<bool> condition)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (!condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(started) < Limit, "What the test waits for did not come.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }

    public static async Task HoldsAsync(Func<Task<bool>> condition)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(started) < Limit, "What the test waits for did not come.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }
}
