namespace DroneDelivery.Amqp;

/// <summary>Offers the mechanisms that the server accepts (AMQP 1.0 §5.3.3.1).</summary>
internal sealed class SaslMechanisms : Performative
{
    internal const ulong Code = 0x40;

    public Symbol[] Mechanisms { get; set; } = [];

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteValue(Mechanisms);
        writer.EndList(fields, 1);
    }
}
