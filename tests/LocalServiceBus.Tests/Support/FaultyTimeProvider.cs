namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>
/// A clock that throws once on demand, which simulates a defect at its next use, and whose time of day can be set, as
/// after a suspend: its timestamps and timers are unaffected.
/// </summary>
internal sealed class FaultyTimeProvider(ManualTimeProvider clock) : TimeProvider
{
    private int _isBroken;
    private long _ahead;
    private int _looks;

    public int Looks => Volatile.Read(ref _looks);

    public override long TimestampFrequency => clock.TimestampFrequency;

    public void BreakOnce() => Volatile.Write(ref _isBroken, 1);

    public void Step(TimeSpan by) => Interlocked.Add(ref _ahead, by.Ticks);

    public override DateTimeOffset GetUtcNow()
    {
        Interlocked.Increment(ref _looks);
        return clock.GetUtcNow().AddTicks(Interlocked.Read(ref _ahead));
    }

    public override long GetTimestamp() =>
        Interlocked.Exchange(ref _isBroken, 0) == 1
            ? throw new InvalidOperationException("The clock is broken.")
            : clock.GetTimestamp();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        clock.CreateTimer(callback, state, dueTime, period);
}
