namespace DroneDelivery.Ingestion;

/// <summary>
/// When a message was accepted. Times are unique within a process, so its reschedules of a delivery have an order. Between replicas they
/// are as exact as the clocks.
/// </summary>
internal sealed class AcceptanceClock(TimeProvider time)
{
    private long _latest;

    public DateTimeOffset Next()
    {
        while (true)
        {
            var latest = Volatile.Read(ref _latest);
            var next = Math.Max(latest + 1, time.GetUtcNow().UtcTicks);
            if (Interlocked.CompareExchange(ref _latest, next, latest) == latest)
                return new DateTimeOffset(next, TimeSpan.Zero);
        }
    }
}
