using System.Runtime.CompilerServices;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Waits for what other threads do. The limit is far beyond what a busy machine needs, so it only ends failing tests.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    public static Task TrueAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        TrueAsync(() => Task.FromResult(condition()), what);

    public static async Task TrueAsync(Func<Task<bool>> condition, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        var began = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            if (TimeProvider.System.GetElapsedTime(began) > Limit)
                Assert.Fail($"Not true within {Limit.TotalSeconds} s: {what}");
            await Task.Delay(Pause, TestContext.Current.CancellationToken);
        }
    }
}
