namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A clock on which every wait is over at once, and unless told otherwise a minute passes whenever somebody looks.</summary>
internal sealed class FleetingTime(TimeSpan? perLook = null) : TimeProvider
{
    private readonly long _perLook = perLook?.Ticks ?? TimeSpan.TicksPerMinute;
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Add(ref _now, _perLook);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Interlocked.Add(ref _now, dueTime.Ticks);
        return base.CreateTimer(callback, state, TimeSpan.Zero, period);
    }
}
