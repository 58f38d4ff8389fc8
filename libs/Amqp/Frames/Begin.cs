namespace DroneDelivery.Amqp;

/// <summary>Begins a session on a channel (AMQP 1.0 §2.7.2).</summary>
public sealed class Begin : Performative
{
    internal const ulong Code = 0x11;

    public ushort? RemoteChannel { get; set; }
    public uint NextOutgoingId { get; set; }
    public uint IncomingWindow { get; set; }
    public uint OutgoingWindow { get; set; }
    public uint? HandleMax { get; set; }
    public Symbol[]? OfferedCapabilities { get; set; }
    public Symbol[]? DesiredCapabilities { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }
}
