namespace DroneDelivery.Amqp;

/// <summary>Offers the mechanisms that the server accepts (AMQP 1.0 §5.3.3.1).</summary>
public sealed class SaslMechanisms : Performative
{
    internal const ulong Code = 0x40;

    public Symbol[] Mechanisms { get; set; } = [];
}
