namespace DroneDelivery.Amqp;

/// <summary>The body of a frame: a described list whose fields are the properties, in order (AMQP 1.0 §2.7). Absent fields
/// are null.</summary>
public abstract class Performative : IFrameBody
{
    private protected Performative() { }

    internal abstract void Write(AmqpWriter writer);

    void IFrameBody.Write(AmqpWriter writer) => Write(writer);
}

/// <summary>What fills a frame. The performatives of the hot path are structs and have this in common with the others.</summary>
internal interface IFrameBody
{
    void Write(AmqpWriter writer);
}
