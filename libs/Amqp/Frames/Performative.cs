namespace DroneDelivery.Amqp;

/// <summary>The body of a frame: a described list whose fields are the properties, in order (AMQP 1.0 §2.7). Absent fields are null.</summary>
public abstract class Performative
{
    private protected Performative() { }

    internal abstract void Write(AmqpWriter writer);
}
