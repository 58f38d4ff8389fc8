namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The time at the start plus the time elapsed since. Follows forward steps of the system clock, for example
/// after sleep, but not backward steps, so that messages stay ordered by time.</summary>
internal sealed class MonotonicClock(TimeProvider time)
{
    // Smaller differences between the two clocks aren't steps.
    private const long MinStep = TimeSpan.TicksPerMillisecond;

    private readonly long _origin = time.GetTimestamp();
    private long _start = time.GetUtcNow().UtcTicks;

    public TimeProvider Provider => time;

    public long Start => Volatile.Read(ref _start);

    public DateTimeOffset Now
    {
        get
        {
            // Read this first; otherwise, a delay between the two reads would look like a step.
            var wall = time.GetUtcNow().UtcTicks;
            var elapsed = time.GetElapsedTime(_origin).Ticks;
            if (wall - elapsed - Start > MinStep)
                StepTo(wall - elapsed);
            return new(Start + elapsed, TimeSpan.Zero);
        }
    }

    private void StepTo(long start)
    {
        for (var known = Start; known < start; known = Start)
            Interlocked.CompareExchange(ref _start, start, known);
    }
}
