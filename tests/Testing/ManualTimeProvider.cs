namespace DroneDelivery.Testing;

/// <summary>A clock that moves only when the test says so. Timers fire inside <see cref="Advance"/>, in the order of their due
/// times, each at its own time: a callback that reads the clock sees the moment it was due.</summary>
public class ManualTimeProvider(DateTimeOffset start) : TimeProvider
{
    private readonly Lock _gate = new();

    // Timers that were changed or disposed leave entries behind; with as many the schedule is made anew.
    private const int MostLeftBehind = 1000;

    private readonly PriorityQueue<(ManualTimer Timer, long Version), (long Due, long Order)> _schedule = new();
    private readonly long _origin = start.UtcTicks;
    private long _now = start.UtcTicks;
    private long _order;
    private int _most = MostLeftBehind;

    public ManualTimeProvider() : this(new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero)) { }

    /// <summary>Ticks of 100 ns, like the time itself.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _now), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref _now) - _origin;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves the clock forward and fires, on this thread, every timer that falls due on the way.</summary>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        var target = Interlocked.Read(ref _now) + by.Ticks;
        while (TakeDue(target) is { } timer)
            timer.Fire();
        Interlocked.Exchange(ref _now, target);
    }

    /// <summary>Moves the clock at once, as after a suspend: a timer that fell due meanwhile fires once, at the end.</summary>
    public void Jump(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        Interlocked.Add(ref _now, by.Ticks);
        Advance(TimeSpan.Zero);
    }

    private ManualTimer? TakeDue(long target)
    {
        lock (_gate)
        {
            while (_schedule.TryPeek(out var next, out var at) && at.Due <= target)
            {
                _schedule.Dequeue();
                if (next.Timer.Version != next.Version)
                    continue; // changed or disposed since
                Interlocked.Exchange(ref _now, Math.Max(Interlocked.Read(ref _now), at.Due));
                next.Timer.Version++;
                if (next.Timer.Period > TimeSpan.Zero)
                    Schedule(next.Timer, next.Timer.Period);
                return next.Timer;
            }
            return null;
        }
    }

    private void Schedule(ManualTimer timer, TimeSpan due)
    {
        _schedule.Enqueue((timer, timer.Version), (Interlocked.Read(ref _now) + due.Ticks, _order++));
        if (_schedule.Count < _most)
            return;
        var left = _schedule.UnorderedItems.Where(item => item.Element.Timer.Version == item.Element.Version).ToList();
        _schedule.Clear();
        _schedule.EnqueueRange(left);
        _most = left.Count + MostLeftBehind;
    }

    private sealed class ManualTimer(ManualTimeProvider clock, TimerCallback callback, object? state) : ITimer
    {
        private bool _disposed;

        public long Version { get; set; }
        public TimeSpan Period { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._gate)
            {
                if (_disposed)
                    return false;
                Version++;
                Period = period;
                if (dueTime != Timeout.InfiniteTimeSpan)
                    clock.Schedule(this, dueTime);
                return true;
            }
        }

        public void Fire() => callback(state);

        public void Dispose()
        {
            lock (clock._gate)
            {
                _disposed = true;
                Version++;
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
