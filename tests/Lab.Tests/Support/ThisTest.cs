using System.Runtime.CompilerServices;

namespace DroneDelivery.Lab.Tests.Support;

internal static class ThisTest
{
    /// <summary>Ends every wait, at the latest, with the test.</summary>
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static Task UntilAsync(
        Func<bool> condition,
        [CallerArgumentExpression(nameof(condition))] string what = ""
    ) => Eventually.TrueAsync(condition, what);

    public static void AssertHas(string? text, params string[] parts) =>
        Assert.All(parts, part => Assert.Contains(part, text, StringComparison.Ordinal));

    public static void AssertLacks(string? text, params string[] parts) =>
        Assert.All(parts, part => Assert.DoesNotContain(part, text, StringComparison.Ordinal));

    /// <summary>Repeats the call until its result is right.</summary>
    public static Task<T> UntilAsync<T>(
        Func<Task<T>> ask,
        Func<T, bool> isRight,
        TimeSpan longer = default,
        [CallerArgumentExpression(nameof(isRight))] string what = ""
    ) => Eventually.GetAsync(ask, isRight, TimeSpan.FromMinutes(1) + longer, what);

    /// <summary>Returns whether the process exists and isn't a zombie.</summary>
    public static bool IsRunning(int processId) => StateOf(processId) is not (null or 'Z');

    /// <summary>Returns whether SIGSTOP has stopped the process.</summary>
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

    /// <summary>Sends SIGKILL, which the process can't handle.</summary>
    public static void Kill(int processId)
    {
        using var process = Process.GetProcessById(processId);
        process.Kill();
    }
}
