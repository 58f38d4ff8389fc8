namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A clock that throws once when the test says so: a defect at whatever next looks at the time.</summary>
internal sealed class FaultyTimeProvider(ManualTimeProvider clock) : TimeProvider
{
    private int _isBroken;

    public override long TimestampFrequency => clock.TimestampFrequency;

    public void BreakOnce() => Volatile.Write(ref _isBroken, 1);

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow();

    public override long GetTimestamp() =>
        Interlocked.Exchange(ref _isBroken, 0) == 1 ? throw new InvalidOperationException("The clock is broken.") : clock.GetTimestamp();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        clock.CreateTimer(callback, state, dueTime, period);
}
