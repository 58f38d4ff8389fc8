using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using Xunit.v3;

namespace DroneDelivery.Testing;

/// <summary>
/// Every test has a time limit, and none holds the others up for ever: one that runs too long is cancelled and fails. One that does not
/// listen, and a fixture after which no test begins, end the run, whose last words are who it was. Part of each test project.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class TestTimeLimitAttribute : BeforeAfterTestAttribute, IDisposable
{
    /// <summary>Longer only for a test that was asked to take longer: <c>TEST_MINUTES</c>.</summary>
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(
        int.TryParse(Environment.GetEnvironmentVariable("TEST_MINUTES"), CultureInfo.InvariantCulture, out var minutes)
            ? minutes
            : 10
    );

    /// <summary>After the limit: for the end of a test that listens, and of what it started.</summary>
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
        Console.Error.WriteLine(
            $"The test '{test.Name}' runs for more than {Limit.TotalMinutes:0.#} minutes: it is cancelled."
        );
        test.Context.CancelCurrentTest();
    }

    private static void End(string why) => Environment.FailFast(why);

    private sealed record Running(string Name, ITestContext Context, long Began, bool IsCancelled = false);
}
