using System.Collections.Concurrent;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// A clock on which every wait shorter than a limit ends immediately and is recorded, while longer ones (timeouts)
/// never end. Shows the waits that a component requested.
/// </summary>
internal sealed class InstantTime(TimeSpan limit, TimeSpan late = default, TimeSpan start = default) : TimeProvider
{
    private long _now = start.Ticks;

    public ConcurrentQueue<TimeSpan> Waits { get; } = new();

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var isShort = dueTime >= TimeSpan.Zero && dueTime < limit;
        if (isShort)
        {
            Waits.Enqueue(dueTime);
            Interlocked.Add(ref _now, (dueTime + late).Ticks);
        }

        return System.CreateTimer(
            callback,
            state,
            isShort ? TimeSpan.Zero : Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan
        );
    }
}
