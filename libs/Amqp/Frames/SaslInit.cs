namespace DroneDelivery.Amqp;

/// <summary>Picks a mechanism and gives its first response (AMQP 1.0 §5.3.3.2).</summary>
public sealed class SaslInit : Performative
{
    internal const ulong Code = 0x41;

    public Symbol Mechanism { get; set; }
    public byte[]? InitialResponse { get; set; }
    public string? HostName { get; set; }
}
