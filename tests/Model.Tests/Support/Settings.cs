namespace DroneDelivery.Model.Tests.Support;

internal static class Settings
{
    /// <summary>Returns a constant time, in milliseconds.</summary>
    public static LogNormal Always(double milliseconds) => new(Math.Log(milliseconds), 0);

    /// <summary>
    /// One Workflow on its own node and three back ends on another. A lock of a second would suffice.
    /// </summary>
    public static Setting Small { get; } =
        new()
        {
            Users = new(
                Start: 4,
                Step: 1,
                StepSeconds: 1,
                Most: 4,
                DurationSeconds: 60,
                EveryMilliseconds: 500,
                Jitter: 0.25
            ),
            Queue = new(LockSeconds: 60, MaxDeliveryCount: 3),
            Handling = new(ConcurrentCalls: 4, Prefetch: 0),
            Nodes = new(Count: 3, VCpu: 2),
            Ingestion = new([0], Cpu: 15),
            Workflow = new([1], Cpu: 60, Always(100)),
            Backends = [new([2], Cpu: 6, Always(12)), new([2], Cpu: 10, Always(21)), new([2], Cpu: 20, Always(37))],
            ObserveSeconds = 60,
            UntilEmpty = true,
        };

    /// <summary>More messages in the queue than can be handled, and one request.</summary>
    public static Setting Backlogged { get; } =
        Small with
        {
            Users = new(
                Start: 1,
                Step: 1,
                StepSeconds: 1,
                Most: 1,
                DurationSeconds: 200,
                EveryMilliseconds: 1e9,
                Jitter: 0
            ),
            Queue = new(LockSeconds: 60, MaxDeliveryCount: 3, MessagesAtStart: 20_000),
            ObserveSeconds = 0,
            UntilEmpty = false,
        };

    /// <summary>Returns the number of messages completed per second between two samples.</summary>
    public static double Rate(this Trace trace, double from, double to)
    {
        var (first, last) = (
            trace.Samples.First(sample => sample.At >= from),
            trace.Samples.Last(sample => sample.At <= to)
        );
        return (last.Queue.Completed - first.Queue.Completed) / (last.At - first.At);
    }

    /// <summary>Asserts that the relative deviation from the expected value is small.</summary>
    public static void Near(double expected, double actual, double share = 0.01) =>
        Assert.True(
            Math.Abs(actual - expected) <= share * Math.Abs(expected),
            $"{actual:0.#####} is not within {share:P1} of {expected:0.#####}"
        );
}
