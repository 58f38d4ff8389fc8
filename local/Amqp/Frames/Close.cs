namespace DroneDelivery.Amqp;

/// <summary>The close performative (AMQP 1.0 §2.7.9).</summary>
internal sealed record Close(AmqpError? Error = null) : IComposite
{
    internal const ulong Code = 0x18;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Error);

    internal static Close Read(ref FieldReader fields) => new(fields.Error());
}

internal sealed record End(AmqpError? Error = null) : IComposite
{
    internal const ulong Code = 0x17;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Error);

    internal static End Read(ref FieldReader fields) => new(fields.Error());
}

/// <summary>The detach performative (AMQP 1.0 §2.7.7).</summary>
internal sealed record Detach(uint Handle, bool Closed, AmqpError? Error = null) : IComposite
{
    internal const ulong Code = 0x16;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Handle, Closed, Error);

    internal static Detach Read(ref FieldReader fields) =>
        new(fields.UInt("detach.handle"), fields.Boolean() ?? false, fields.Error());
}
