namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The time of day at the start plus what has elapsed since, so that a step of the machine's clock neither ends locks
/// early nor prolongs them.</summary>
internal sealed class MonotonicClock(TimeProvider time)
{
    private readonly DateTimeOffset _start = time.GetUtcNow();
    private readonly long _origin = time.GetTimestamp();

    public TimeProvider Provider => time;

    public DateTimeOffset Now => _start + time.GetElapsedTime(_origin);
}
