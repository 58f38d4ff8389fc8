namespace DroneDelivery.Amqp;

/// <summary>Ends a session (AMQP 1.0 §2.7.8).</summary>
internal sealed class End : Performative
{
    internal const ulong Code = 0x17;

    public AmqpError? Error { get; set; }

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.Field(Error);
        writer.EndList(fields, 1);
    }

    internal static End Read(ref FieldReader fields) => new()
    {
        Error = fields.Error(),
    };
}
