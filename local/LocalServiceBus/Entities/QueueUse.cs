namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed class QueueUse(MonotonicClock clock)
{
    private long _accessedAtTicks = clock.Now.UtcTicks;

    public DateTimeOffset AccessedAt => new(Volatile.Read(ref _accessedAtTicks), TimeSpan.Zero);

    /// <summary>The last time that a receiver closed or a scheduled message was enqueued.</summary>
    public DateTimeOffset EndedAt { get; set; }

    /// <summary>The number of open receivers that have had credit.</summary>
    public int Receivers { get; private set; }

    public void Touch(DateTimeOffset now) => Volatile.Write(ref _accessedAtTicks, now.UtcTicks);

    /// <summary>Counts a receiver once, except the broker's own ones.</summary>
    public void Begin(QueueReceiver receiver)
    {
        if (receiver.IsOwn || receiver.IsCounted || receiver.IsClosed)
            return;
        receiver.IsCounted = true;
        Receivers++;
    }

    public void End(QueueReceiver receiver)
    {
        if (!receiver.IsCounted)
            return;
        receiver.IsCounted = false;
        Receivers--;
        EndedAt = clock.Now;
    }
}
