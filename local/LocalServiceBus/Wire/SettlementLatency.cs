using System.Diagnostics;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Holds back answers to settlements for a sampled time, as the way to a distant service and back would. What was settled
/// is settled at once: only the client learns it later.</summary>
internal sealed class SettlementLatency : IDisposable
{
    // Timers count whole milliseconds; answers within half of one of their time go, so that the mean stays what it should be.
    private static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5);

    // Settings that are far off sample times that no TimeSpan and no timer can hold; a client gives up long before.
    private const double LongestMilliseconds = 60 * 60 * 1000;

    private readonly Lock _gate = new();
    private readonly PriorityQueue<Action, TimeSpan> _waiting = new();
    private readonly SettlementLatencyOptions _options;
    private readonly TimeProvider _time;
    private readonly Defects _defects;
    private readonly Random _random;
    private readonly long _origin;
    private readonly ITimer _timer;
    private TimeSpan _armedFor = TimeSpan.MaxValue;

    public SettlementLatency(SettlementLatencyOptions options, TimeProvider time, Defects defects)
    {
        _options = options;
        _time = time;
        _defects = defects;
        _random = new Random(options.Seed);
        _origin = time.GetTimestamp();
        _timer = time.CreateTimer(_ => OnTimer(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public void Answer(Action answer)
    {
        lock (_gate)
        {
            var due = _time.GetElapsedTime(_origin) + Sample();
            _waiting.Enqueue(answer, due);
            if (due < _armedFor)
                Arm(due);
        }
    }

    public void Dispose() => _timer.Dispose();

    private TimeSpan Sample()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        // Box and Muller's transform; the first uniform value must not be zero.
        var normal = Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
        return TimeSpan.FromMilliseconds(Math.Min(Math.Exp(_options.Mu + _options.Sigma * normal), LongestMilliseconds));
    }

    private void OnTimer()
    {
        try
        {
            while (TakeDue() is { } answer)
                Call(answer);
        }
        catch (Exception error)
        {
            // On the timer's thread it would end the process. The next settlement sets the timer again.
            _defects.Report("the timer of settlements' answers", error);
        }
    }

    /// <summary>An answer that cannot be given holds up no other.</summary>
    private void Call(Action answer)
    {
        try
        {
            answer();
        }
        catch (Exception error)
        {
            _defects.Report("answering a settlement", error);
        }
    }

    private Action? TakeDue()
    {
        lock (_gate)
        {
            _armedFor = TimeSpan.MaxValue;
            if (!_waiting.TryPeek(out var answer, out var due))
                return null;
            if (due > _time.GetElapsedTime(_origin) + Tolerance)
            {
                Arm(due);
                return null;
            }
            _waiting.Dequeue();
            return answer;
        }
    }

    private void Arm(TimeSpan due)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _armedFor = due;
        var wait = Math.Round((due - _time.GetElapsedTime(_origin)).TotalMilliseconds);
        _timer.Change(TimeSpan.FromMilliseconds(Math.Max(1, wait)), Timeout.InfiniteTimeSpan);
    }
}
