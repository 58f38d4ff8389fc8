namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A clock on which every wait is over at once, and a minute has passed whenever somebody looks.</summary>
internal sealed class FleetingTime : TimeProvider
{
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Add(ref _now, TimeSpan.TicksPerMinute);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        base.CreateTimer(callback, state, TimeSpan.Zero, period);
}
