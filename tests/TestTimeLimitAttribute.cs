using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using Xunit.v3;

namespace DroneDelivery.Testing;

/// <summary>
/// Gives every test a time limit: a test that exceeds it is canceled and fails. A test that ignores the cancellation,
/// or a fixture after which no test starts, ends the run with its name as the last output. Part of each test project.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class TestTimeLimitAttribute : BeforeAfterTestAttribute, IDisposable
{
    /// <summary>The limit, which <c>TEST_MINUTES</c> extends for tests that are asked to run longer.</summary>
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(
        int.TryParse(Environment.GetEnvironmentVariable("TEST_MINUTES"), CultureInfo.InvariantCulture, out var minutes)
            ? minutes
            : 10
    );

    /// <summary>The time after the limit for a canceled test to clean up.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromMinutes(1);

    private readonly ConcurrentDictionary<string, Running> _running = new();
    private readonly Timer _watch;
    private (string Name, long At) _last = ("none", TimeProvider.System.GetTimestamp());

    public TestTimeLimitAttribute()
    {
        var period = TimeSpan.FromSeconds(5);
        _watch = new Timer(_ => Look(), null, period, period);
    }

    public override void Before(MethodInfo methodUnderTest, IXunitTest test) =>
        _running[test.UniqueID] = new Running(
            test.TestDisplayName,
            TestContext.Current,
            TimeProvider.System.GetTimestamp()
        );

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        _running.TryRemove(test.UniqueID, out _);
        _last = (test.TestDisplayName, TimeProvider.System.GetTimestamp());
    }

    public void Dispose() => _watch.Dispose();

    private void Look()
    {
        foreach (var (id, test) in _running)
        {
            var time = TimeProvider.System.GetElapsedTime(test.Began);
            if (time > Limit + Grace)
            {
                End(
                    $"The test '{test.Name}' did not end when it was cancelled after {Limit.TotalMinutes:0.#} minutes."
                );
            }
            else if (time > Limit && !test.IsCancelled)
            {
                Cancel(id, test);
            }
        }

        if (_running.IsEmpty && TimeProvider.System.GetElapsedTime(_last.At) > Limit + Grace)
        {
            End(
                $"No test has begun for {(Limit + Grace).TotalMinutes:0.#} minutes; the last one that ended was '{_last.Name}'."
            );
        }
    }

    private void Cancel(string id, Running test)
    {
        if (!_running.TryUpdate(id, test with { IsCancelled = true }, test))
            return; // It has just ended.
        Console.Error.WriteLine($"The test '{test.Name}' exceeded {Limit.TotalMinutes:0.#} minutes and was canceled.");
        test.Context.CancelCurrentTest();
    }

    private static void End(string why) => Environment.FailFast(why);

    private sealed record Running(string Name, ITestContext Context, long Began, bool IsCancelled = false);
}
