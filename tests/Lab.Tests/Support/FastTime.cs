namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A clock on which every wait ends immediately. By default, each reading advances it by a minute.</summary>
internal sealed class FastTime(TimeSpan? perReading = null) : TimeProvider
{
    private readonly long _perReading = perReading?.Ticks ?? TimeSpan.TicksPerMinute;
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Add(ref _now, _perReading);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Interlocked.Add(ref _now, dueTime.Ticks);
        return base.CreateTimer(callback, state, TimeSpan.Zero, period);
    }
}
