namespace DroneDelivery.Amqp;

/// <summary>Carries a message or a part of one; the payload follows it in the frame (AMQP 1.0 §2.7.5).</summary>
public sealed class Transfer : Performative
{
    internal const ulong Code = 0x14;

    public uint Handle { get; set; }
    public uint? DeliveryId { get; set; }
    public byte[]? DeliveryTag { get; set; }
    public uint? MessageFormat { get; set; }
    public bool? Settled { get; set; }
    public bool More { get; set; }
    public ReceiverSettleMode? RcvSettleMode { get; set; }
    public DeliveryState? State { get; set; }
    public bool Resume { get; set; }
    public bool Aborted { get; set; }
    public bool Batchable { get; set; }
}
