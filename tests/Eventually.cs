using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace DroneDelivery.Testing;

/// <summary>
/// Waits for work of other threads and processes. The limit is far beyond the time that a busy machine needs, so only
/// failing tests reach it. Part of each test project that waits.
/// </summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    public static Task TrueAsync(
        Func<bool> condition,
        [CallerArgumentExpression(nameof(condition))] string what = ""
    ) => TrueAsync(() => Task.FromResult(condition()), what: what);

    /// <param name="condition">The condition to wait for.</param>
    /// <param name="within">The time limit; <c>null</c> for the default.</param>
    /// <param name="what">The description of the condition in the failure message.</param>
    public static Task TrueAsync(
        Func<Task<bool>> condition,
        TimeSpan? within = null,
        [CallerArgumentExpression(nameof(condition))] string what = ""
    ) => GetAsync(condition, isTrue => isTrue, within, what);

    /// <summary>Repeats the assertions until they pass. After the time limit, throws the last failure.</summary>
    public static async Task PassesAsync(Action assertions)
    {
        Exception? failure = null;
        try
        {
            await TrueAsync(() =>
            {
                failure = Record.Exception(assertions);
                return failure is null;
            });
        }
        catch (Exception) when (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    /// <returns>The first value for which the condition is true.</returns>
    public static async Task<T> GetAsync<T>(
        Func<Task<T>> get,
        Func<T, bool> condition,
        TimeSpan? within = null,
        [CallerArgumentExpression(nameof(condition))] string what = ""
    )
    {
        var limit = within ?? Limit;
        for (
            var began = TimeProvider.System.GetTimestamp();
            ;
            await Task.Delay(Pause, TestContext.Current.CancellationToken)
        )
        {
            var value = await get();
            if (condition(value))
                return value;
            if (TimeProvider.System.GetElapsedTime(began) > limit)
                Assert.Fail($"Not true within {limit.TotalSeconds} s: {what}. The last value was {value}.");
        }
    }
}
