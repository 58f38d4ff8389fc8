namespace DroneDelivery.Amqp;

/// <summary>Ends the SASL exchange (AMQP 1.0 §5.3.3.5).</summary>
internal sealed class SaslOutcome : Performative
{
    internal const ulong Code = 0x44;

    /// <summary>0 is success (AMQP 1.0 §5.3.3.6).</summary>
    public byte Outcome { get; set; }
    public byte[]? AdditionalData { get; set; }

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteUByte(Outcome);
        writer.Field(AdditionalData);
        writer.EndList(fields, 2);
    }
}
