using System.Runtime.CompilerServices;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Waits for what other threads do. The limit is far beyond what a busy machine needs, so it only ends failing tests.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    public static Task TrueAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        TrueAsync(() => Task.FromResult(condition()), what: what);

    /// <param name="condition">What is waited for.</param>
    /// <param name="within">Null: as long as for everything else.</param>
    /// <param name="what">Said when it does not come true.</param>
    public static async Task TrueAsync(
        Func<Task<bool>> condition, TimeSpan? within = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        var limit = within ?? Limit;
        var began = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            if (TimeProvider.System.GetElapsedTime(began) > limit)
                Assert.Fail($"Not true within {limit.TotalSeconds} s: {what}");
            await Task.Delay(Pause, TestContext.Current.CancellationToken);
        }
    }
}
