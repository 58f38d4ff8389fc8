using System.Runtime.CompilerServices;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Waits for work that takes as long as the machine needs. A minute without progress is a failure, and so is work that
/// never ends.
/// </summary>
internal static class Progress
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    /// <summary>Below the time limit of a test, so that the failure names the condition.</summary>
    private static readonly TimeSpan TotalLimit = TimeSpan.FromMinutes(8);

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    /// <param name="condition">The end of the work.</param>
    /// <param name="state">A value that changes as long as the work goes on.</param>
    /// <param name="what">The source text of the condition, for the failure message.</param>
    public static async Task UntilAsync<T>(
        Func<Task<bool>> condition,
        Func<T> state,
        [CallerArgumentExpression(nameof(condition))] string what = ""
    )
    {
        var last = state();
        var began = TimeProvider.System.GetTimestamp();
        var changed = began;
        while (!await condition())
        {
            if (TimeProvider.System.GetElapsedTime(began) > TotalLimit)
                Assert.Fail($"Not done after {TotalLimit.TotalMinutes} minutes: {what}. The last state was {last}.");
            var now = state();
            if (!EqualityComparer<T>.Default.Equals(now, last))
            {
                last = now;
                changed = TimeProvider.System.GetTimestamp();
            }
            else if (TimeProvider.System.GetElapsedTime(changed) > Limit)
            {
                Assert.Fail($"No progress for {Limit.TotalSeconds} s: {what}. The last state was {last}.");
            }
            await Task.Delay(Pause, Cancelled);
        }
    }
}
