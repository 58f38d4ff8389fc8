namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>When clients last used a queue, and how many receive from it.</summary>
internal sealed class QueueUse(MonotonicClock clock)
{
    private long _accessedAtTicks = clock.Now.UtcTicks;

    /// <summary>When a client last sent, received or settled.</summary>
    public DateTimeOffset AccessedAt => new(Volatile.Read(ref _accessedAtTicks), TimeSpan.Zero);

    /// <summary>When the last receiver closed, or a scheduled message was enqueued.</summary>
    public DateTimeOffset EndedAt { get; set; }

    /// <summary>Receivers that have had credit and are open.</summary>
    public int Receivers { get; private set; }

    public void Touch(DateTimeOffset now) => Volatile.Write(ref _accessedAtTicks, now.UtcTicks);

    /// <summary>Counts a receiver once. The broker's own are not a use of the queue.</summary>
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
