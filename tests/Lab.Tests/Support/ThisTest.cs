namespace DroneDelivery.Lab.Tests.Support;

internal static class ThisTest
{
    /// <summary>Every wait in these tests ends, at the latest, with the test.</summary>
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static Task UntilAsync(Func<bool> condition) => UntilAsync(() => Task.FromResult(condition()), isSo => isSo);

    /// <summary>Asks again until the answer is the one that is waited for.</summary>
    public static async Task<T> UntilAsync<T>(Func<Task<T>> ask, Func<T, bool> isRight, TimeSpan longer = default)
    {
        var patience = TimeSpan.FromMinutes(1) + longer;
        for (var watch = Stopwatch.StartNew(); ; await Task.Delay(20, Cancel))
        {
            var answer = await ask();
            if (isRight(answer))
                return answer;
            Assert.True(watch.Elapsed < patience, $"waited {patience.TotalSeconds} s in vain, and the last answer was {answer}");
        }
    }

    /// <summary>Whether there is such a process that is not merely waiting for its parent to take note of its end.</summary>
    public static bool IsRunning(int processId)
    {
        using var ps = Process.Start(new ProcessStartInfo("ps", ["-o", "stat=", "-p", $"{processId}"]) { RedirectStandardOutput = true })!;
        var state = ps.StandardOutput.ReadToEnd().Trim();
        return state.Length > 0 && state[0] != 'Z';
    }

    /// <summary>As <c>kill -9</c> does: no handler, no goodbye.</summary>
    public static void Kill(int processId)
    {
        using var process = Process.GetProcessById(processId);
        process.Kill();
    }
}
