using System.Diagnostics;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Holds back answers to settlements for a sampled time, as the way to a distant service and back would. What was settled
/// is settled at once: only the client learns it later.</summary>
internal sealed class SettlementLatency : IDisposable
{
    // Timers count whole milliseconds; answers within half of one of their time go, so that the mean stays what it should be.
    static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5);

    // Settings that are far off sample times that no TimeSpan and no timer can hold; a client gives up long before.
    const double LongestMilliseconds = 60 * 60 * 1000;

    readonly Lock gate = new();
    readonly PriorityQueue<Action, TimeSpan> waiting = new();
    readonly SettlementLatencyOptions options;
    readonly TimeProvider time;
    readonly Defects defects;
    readonly Random random;
    readonly long origin;
    readonly ITimer timer;
    TimeSpan armedFor = TimeSpan.MaxValue;

    public SettlementLatency(SettlementLatencyOptions options, TimeProvider time, Defects defects)
    {
        this.options = options;
        this.time = time;
        this.defects = defects;
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
        Debug.Assert(gate.IsHeldByCurrentThread);
        // Box and Muller's transform; the first uniform value must not be zero.
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return TimeSpan.FromMilliseconds(Math.Min(Math.Exp(options.Mu + options.Sigma * normal), LongestMilliseconds));
    }

    void OnTimer()
    {
        try
        {
            while (TakeDue() is { } answer) Call(answer);
        }
        catch (Exception error)
        {
            // On the timer's thread it would end the process. The next settlement sets the timer again.
            defects.Report("the timer of settlements' answers", error);
        }
    }

    /// <summary>An answer that cannot be given holds up no other.</summary>
    void Call(Action answer)
    {
        try
        {
            answer();
        }
        catch (Exception error)
        {
            defects.Report("answering a settlement", error);
        }
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
        Debug.Assert(gate.IsHeldByCurrentThread);
        armedFor = due;
        var wait = Math.Round((due - time.GetElapsedTime(origin)).TotalMilliseconds);
        timer.Change(TimeSpan.FromMilliseconds(Math.Max(1, wait)), Timeout.InfiniteTimeSpan);
    }
}
