namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Holds back answers to settlements for a sampled time, as the way to a distant service and back would. What was settled
/// is settled at once: only the client learns it later.</summary>
internal sealed class SettlementLatency : IDisposable
{
    // Timers count whole milliseconds; answers within half of one of their time go, so that the mean stays what it should be.
    static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5);

    readonly Lock gate = new();
    readonly PriorityQueue<Action, TimeSpan> waiting = new();
    readonly SettlementLatencyOptions options;
    readonly TimeProvider time;
    readonly Random random;
    readonly long origin;
    readonly ITimer timer;
    TimeSpan armedFor = TimeSpan.MaxValue;

    public SettlementLatency(SettlementLatencyOptions options, TimeProvider time)
    {
        this.options = options;
        this.time = time;
        random = new Random(options.Seed);
        origin = time.GetTimestamp();
        timer = time.CreateTimer(_ => OnTimer(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public void Answer(Action answer)
    {
        lock (gate)
        {
            var due = time.GetElapsedTime(origin) + Sample();
            waiting.Enqueue(answer, due);
            if (due < armedFor) Arm(due);
        }
    }

    public void Dispose() => timer.Dispose();

    TimeSpan Sample()
    {
        // Box and Muller's transform; the first uniform value must not be zero.
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return TimeSpan.FromMilliseconds(Math.Exp(options.Mu + options.Sigma * normal));
    }

    void OnTimer()
    {
        while (TakeDue() is { } answer) answer();
    }

    Action? TakeDue()
    {
        lock (gate)
        {
            armedFor = TimeSpan.MaxValue;
            if (!waiting.TryPeek(out var answer, out var due)) return null;
            if (due > time.GetElapsedTime(origin) + Tolerance)
            {
                Arm(due);
                return null;
            }
            waiting.Dequeue();
            return answer;
        }
    }

    void Arm(TimeSpan due)
    {
        armedFor = due;
        var wait = Math.Round((due - time.GetElapsedTime(origin)).TotalMilliseconds);
        timer.Change(TimeSpan.FromMilliseconds(Math.Max(1, wait)), Timeout.InfiniteTimeSpan);
    }
}
