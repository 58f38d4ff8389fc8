namespace DroneDelivery.Amqp;

/// <summary>Closes the connection (AMQP 1.0 §2.7.9).</summary>
public sealed class Close : Performative
{
    internal const ulong Code = 0x18;

    public AmqpError? Error { get; set; }
}
