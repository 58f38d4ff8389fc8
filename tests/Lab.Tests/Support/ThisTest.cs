using System.Runtime.CompilerServices;

namespace DroneDelivery.Lab.Tests.Support;

internal static class ThisTest
{
    /// <summary>Every wait in these tests ends, at the latest, with the test.</summary>
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static Task UntilAsync(
        Func<bool> condition,
        [CallerArgumentExpression(nameof(condition))] string what = ""
    ) => Eventually.TrueAsync(condition, what);

    public static void AssertHas(string? text, params string[] parts) =>
        Assert.All(parts, part => Assert.Contains(part, text, StringComparison.Ordinal));

    public static void AssertLacks(string? text, params string[] parts) =>
        Assert.All(parts, part => Assert.DoesNotContain(part, text, StringComparison.Ordinal));

    /// <summary>Asks again until the answer is the one that is waited for.</summary>
    public static Task<T> UntilAsync<T>(
        Func<Task<T>> ask,
        Func<T, bool> isRight,
        TimeSpan longer = default,
        [CallerArgumentExpression(nameof(isRight))] string what = ""
    ) => Eventually.GetAsync(ask, isRight, TimeSpan.FromMinutes(1) + longer, what);

    /// <summary>Whether there is such a process that is not merely waiting for its parent to take note of its end.</summary>
    public static bool IsRunning(int processId) => StateOf(processId) is not (null or 'Z');

    /// <summary>Whether SIGSTOP has stopped the process.</summary>
    public static bool IsPaused(int processId) => StateOf(processId) is 'T';

    /// <returns><c>null</c> if there is no such process.</returns>
    private static char? StateOf(int processId)
    {
        using var ps = Process.Start(
            new ProcessStartInfo("ps", ["-o", "stat=", "-p", $"{processId}"]) { RedirectStandardOutput = true }
        )!;
        var state = ps.StandardOutput.ReadToEnd().Trim();
        return state.Length > 0 ? state[0] : null;
    }

    /// <summary>As <c>kill -9</c> does: no handler, no goodbye.</summary>
    public static void Kill(int processId)
    {
        using var process = Process.GetProcessById(processId);
        process.Kill();
    }
}
