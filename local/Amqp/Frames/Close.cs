namespace DroneDelivery.Amqp;

/// <summary>Closes the connection (AMQP 1.0 §2.7.9).</summary>
internal sealed class Close : Performative
{
    internal const ulong Code = 0x18;

    public AmqpError? Error { get; set; }

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.Field(Error);
        writer.EndList(fields, 1);
    }

    internal static Close Read(ref FieldReader fields) => new()
    {
        Error = fields.Error(),
    };
}
