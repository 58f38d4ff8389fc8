namespace DroneDelivery.Testing;

/// <summary>
/// A clock that moves only when the test advances it. Timers fire inside <see cref="Advance"/>, in the order of their
/// due times and each at its own time: a callback that reads the clock sees its due time.
/// </summary>
public class ManualTimeProvider(DateTimeOffset start) : TimeProvider
{
    private readonly Lock _gate = new();

    private readonly SortedSet<(long Due, long Order, ManualTimer Timer)> _schedule = new(
        Comparer<(long Due, long Order, ManualTimer)>.Create((a, b) => (a.Due, a.Order).CompareTo((b.Due, b.Order)))
    );

    private readonly long _origin = start.UtcTicks;
    private long _now = start.UtcTicks;
    private long _order;

    public ManualTimeProvider()
        : this(new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero)) { }

    /// <summary>Ticks of 100 ns, like the time itself.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public int PendingTimers
    {
        get
        {
            lock (_gate)
                return _schedule.Count;
        }
    }

    /// <summary>The time until the next timer is due; <c>null</c> if there is none.</summary>
    public TimeSpan? UntilNextTimer
    {
        get
        {
            lock (_gate)
                return _schedule.Count == 0 ? null : new TimeSpan(_schedule.Min.Due - Interlocked.Read(ref _now));
        }
    }

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _now), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref _now) - _origin;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Returns <c>true</c> if a timer is due after exactly this delay.</summary>
    public bool HasTimerDueIn(TimeSpan delay)
    {
        lock (_gate)
        {
            var due = Interlocked.Read(ref _now) + delay.Ticks;
            return _schedule.Any(entry => entry.Due == due);
        }
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

    /// <summary>
    /// Moves the clock at once, as after a suspend: a timer that became due in the meantime fires once, at the end.
    /// </summary>
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
            if (_schedule.Count == 0 || _schedule.Min.Due > target)
                return null;
            var (due, _, timer) = _schedule.Min;
            Interlocked.Exchange(ref _now, Math.Max(Interlocked.Read(ref _now), due));
            timer.Schedule(timer.Period > TimeSpan.Zero ? timer.Period : Timeout.InfiniteTimeSpan);
            return timer;
        }
    }

    private sealed class ManualTimer(ManualTimeProvider clock, TimerCallback callback, object? state) : ITimer
    {
        private (long Due, long Order, ManualTimer Timer) _entry;
        private bool _disposed;

        public TimeSpan Period { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._gate)
            {
                if (_disposed)
                    return false;
                Period = period;
                Schedule(dueTime);
                return true;
            }
        }

        /// <summary>Call under the lock. Replaces the previous due time.</summary>
        public void Schedule(TimeSpan due)
        {
            clock._schedule.Remove(_entry);
            _entry = (Interlocked.Read(ref clock._now) + due.Ticks, clock._order++, this);
            if (due != Timeout.InfiniteTimeSpan)
                clock._schedule.Add(_entry);
        }

        public void Fire() => callback(state);

        public void Dispose()
        {
            lock (clock._gate)
            {
                _disposed = true;
                Schedule(Timeout.InfiniteTimeSpan);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
