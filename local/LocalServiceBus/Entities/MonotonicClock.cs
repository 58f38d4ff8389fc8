namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The time of day at the start, and what has elapsed since. It follows the machine's clock ahead at once, as after the machine
/// has slept. It does not follow it back: no lock is prolonged, and no message is older than one that came before it.</summary>
internal sealed class MonotonicClock(TimeProvider time)
{
    // The two clocks differ by less without a step.
    private const long SmallestStep = TimeSpan.TicksPerMillisecond;

    private readonly long _origin = time.GetTimestamp();
    private long _start = time.GetUtcNow().UtcTicks;

    public TimeProvider Provider => time;

    /// <summary>The time at the origin, in ticks; it is another one after a step ahead.</summary>
    public long Start => Volatile.Read(ref _start);

    public DateTimeOffset Now
    {
        get
        {
            // Read ahead of the other one, so that what comes between them is no step.
            var wall = time.GetUtcNow().UtcTicks;
            var elapsed = time.GetElapsedTime(_origin).Ticks;
            if (wall - elapsed - Start > SmallestStep)
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
