namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A timer for the earliest of many moments. Not safe for threads.</summary>
internal sealed class DueTimer(MonotonicClock clock, Action onDue) : IDisposable
{
    private readonly ITimer _timer = clock.Provider.CreateTimer(
        static due => ((Action)due!)(),
        onDue,
        Timeout.InfiniteTimeSpan,
        Timeout.InfiniteTimeSpan
    );

    private DateTimeOffset _armedFor = DateTimeOffset.MaxValue;

    public void ArmNoLaterThan(DateTimeOffset due)
    {
        if (due < _armedFor)
            Arm(due);
    }

    /// <summary>To be called when the timer has fired.</summary>
    /// <param name="next">What it waits for now; null: nothing.</param>
    public void Rearm(DateTimeOffset? next)
    {
        _armedFor = DateTimeOffset.MaxValue;
        if (next is { } due)
            Arm(due);
    }

    private void Arm(DateTimeOffset due)
    {
        _armedFor = due;
        // System timers count whole milliseconds and drop the rest: rounded down they would fire early, and again, and again.
        var wait = Math.Max(1, Math.Ceiling((due - clock.Now).TotalMilliseconds));
        // Timers take at most about 49 days; a later moment is armed again when this one fires.
        _timer.Change(TimeSpan.FromMilliseconds(Math.Min(wait, int.MaxValue)), Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();
}
