namespace DroneDelivery.Amqp;

/// <summary>Tells the peer of a change of state of a range of deliveries (AMQP 1.0 §2.7.6).</summary>
public sealed class Disposition : Performative
{
    internal const ulong Code = 0x15;

    public LinkRole Role { get; set; }
    public uint First { get; set; }
    /// <summary>Absent: the range is <see cref="First"/> alone.</summary>
    public uint? Last { get; set; }
    public bool Settled { get; set; }
    public DeliveryState? State { get; set; }
    public bool Batchable { get; set; }
}
