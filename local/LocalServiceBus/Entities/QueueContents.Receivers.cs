namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>How many clients receive: see <see cref="IdleEntities"/>.</summary>
internal sealed partial class QueueContents
{
    /// <summary>Those that have had credit and are not closed.</summary>
    public int Receivers { get; private set; }

    /// <summary>When the last of them was closed, or a scheduled message came due.</summary>
    public DateTimeOffset UsedAt { get; private set; }

    public void Count(QueueReceiver receiver)
    {
        if (receiver.IsOwn || receiver.IsCounted || receiver.IsClosed)
            return;
        receiver.IsCounted = true;
        Receivers++;
    }

    public void CountNoMore(QueueReceiver receiver)
    {
        if (!receiver.IsCounted)
            return;
        receiver.IsCounted = false;
        Receivers--;
        UsedAt = clock.Now;
    }
}
