namespace DroneDelivery.Amqp;

/// <summary>A question of the server's (AMQP 1.0 §5.3.3.3).</summary>
public sealed class SaslChallenge : Performative
{
    internal const ulong Code = 0x42;

    public byte[] Challenge { get; set; } = [];
}
