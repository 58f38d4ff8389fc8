namespace DroneDelivery.Amqp;

/// <summary>Detaches a link from its session (AMQP 1.0 §2.7.7).</summary>
internal sealed class Detach : Performative
{
    internal const ulong Code = 0x16;

    public uint Handle { get; set; }
    public bool Closed { get; set; }
    public AmqpError? Error { get; set; }

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteUInt(Handle);
        writer.WriteBoolean(Closed);
        writer.Field(Error);
        writer.EndList(fields, 3);
    }

    internal static Detach Read(ref FieldReader fields) => new()
    {
        Handle = fields.UInt() ?? throw FieldReader.Missing("detach.handle"),
        Closed = fields.Boolean() ?? false,
        Error = fields.Error(),
    };
}
