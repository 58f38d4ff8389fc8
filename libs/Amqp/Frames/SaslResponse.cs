namespace DroneDelivery.Amqp;

/// <summary>The answer to a challenge (AMQP 1.0 §5.3.3.4).</summary>
public sealed class SaslResponse : Performative
{
    internal const ulong Code = 0x43;

    public byte[] Response { get; set; } = [];
}
