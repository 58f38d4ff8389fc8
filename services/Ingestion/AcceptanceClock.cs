namespace DroneDelivery.Ingestion;

/// <summary>
/// When a message was accepted. No two answers of one process are alike, so its own reschedules of a delivery have an order; those of two
/// replicas are as far apart as their clocks.
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
