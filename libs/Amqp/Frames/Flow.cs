namespace DroneDelivery.Amqp;

/// <summary>Updates the session's windows and, with a handle, a link's credit (AMQP 1.0 §2.7.4).</summary>
public sealed class Flow : Performative
{
    internal const ulong Code = 0x13;

    public uint? NextIncomingId { get; set; }
    public uint IncomingWindow { get; set; }
    public uint NextOutgoingId { get; set; }
    public uint OutgoingWindow { get; set; }
    public uint? Handle { get; set; }
    public uint? DeliveryCount { get; set; }
    public uint? LinkCredit { get; set; }
    public uint? Available { get; set; }
    public bool Drain { get; set; }
    public bool Echo { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }
}
