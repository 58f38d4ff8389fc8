namespace DroneDelivery.Amqp;

/// <summary>Ends a session (AMQP 1.0 §2.7.8).</summary>
public sealed class End : Performative
{
    internal const ulong Code = 0x17;

    public AmqpError? Error { get; set; }
}
