namespace DroneDelivery.Amqp;

/// <summary>Detaches a link from its session (AMQP 1.0 §2.7.7).</summary>
public sealed class Detach : Performative
{
    internal const ulong Code = 0x16;

    public uint Handle { get; set; }
    public bool Closed { get; set; }
    public AmqpError? Error { get; set; }
}
