namespace DroneDelivery.Amqp;

/// <summary>The body of a frame: a described list whose fields are the properties, in order (AMQP 1.0 §2.7). Absent fields
/// are null.</summary>
public abstract record Performative : IComposite
{
    private protected Performative() { }

    public abstract void Write(AmqpWriter writer);
}

/// <summary>A described list. Of what fills a frame, only that of the hot path is a struct.</summary>
internal interface IComposite
{
    void Write(AmqpWriter writer);
}
