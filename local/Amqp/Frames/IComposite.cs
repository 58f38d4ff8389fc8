namespace DroneDelivery.Amqp;

/// <summary>A described list with its fields in order (AMQP 1.0 §1.4). The performatives (§2.7) that are sent for each
/// message are structs.</summary>
internal interface IComposite
{
    void Write(AmqpWriter writer);
}
