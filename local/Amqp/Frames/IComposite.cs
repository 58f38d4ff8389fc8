namespace DroneDelivery.Amqp;

/// <summary>A described list whose fields are the properties, in order; absent fields are null (AMQP 1.0 §1.4). Of those that fill a frame
/// (§2.7) only that of the hot path is a struct.</summary>
internal interface IComposite
{
    void Write(AmqpWriter writer);
}
