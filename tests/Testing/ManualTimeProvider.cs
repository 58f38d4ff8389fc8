namespace DroneDelivery.Testing;

/// <summary>A clock that moves only when the test says so. Timers fire inside <see cref="Advance"/>, in the order of their due
/// times, each at its own time: a callback that reads the clock sees the moment it was due.</summary>
public sealed class ManualTimeProvider(DateTimeOffset start) : TimeProvider
{
    readonly Lock gate = new();
    readonly PriorityQueue<(ManualTimer Timer, long Version), (long Due, long Order)> schedule = new();
    readonly long origin = start.UtcTicks;
    long now = start.UtcTicks;
    long order;

    public ManualTimeProvider() : this(new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero)) { }

    /// <summary>Ticks of 100 ns, like the time itself.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref now), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref now) - origin;

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
        var target = Interlocked.Read(ref now) + by.Ticks;
        while (TakeDue(target) is { } timer) timer.Fire();
        Interlocked.Exchange(ref now, target);
    }

    ManualTimer? TakeDue(long target)
    {
        lock (gate)
        {
            while (schedule.TryPeek(out var next, out var at) && at.Due <= target)
            {
                schedule.Dequeue();
                if (next.Timer.Version != next.Version) continue; // changed or disposed since
                Interlocked.Exchange(ref now, Math.Max(Interlocked.Read(ref now), at.Due));
                next.Timer.Version++;
                if (next.Timer.Period > TimeSpan.Zero) Schedule(next.Timer, next.Timer.Period);
                return next.Timer;
            }
            return null;
        }
    }

    void Schedule(ManualTimer timer, TimeSpan due) =>
        schedule.Enqueue((timer, timer.Version), (Interlocked.Read(ref now) + due.Ticks, order++));

    sealed class ManualTimer(ManualTimeProvider clock, TimerCallback callback, object? state) : ITimer
    {
        bool disposed;

        public long Version { get; set; }
        public TimeSpan Period { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock.gate)
            {
                if (disposed) return false;
                Version++;
                Period = period;
                if (dueTime != Timeout.InfiniteTimeSpan) clock.Schedule(this, dueTime);
                return true;
            }
        }

        public void Fire() => callback(state);

        public void Dispose()
        {
            lock (clock.gate)
            {
                disposed = true;
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
