namespace DroneDelivery.Amqp;

/// <summary>The target of a link (AMQP 1.0 §3.5.4), without dynamic nodes.</summary>
public sealed class Target : IComposite
{
    internal const ulong Code = 0x29;

    public string? Address { get; set; }

    /// <summary>Only sent. Received values have no effect.</summary>
    public uint? Durable { get; set; }

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Address, Durable, null, null, null, null, null);

    internal static Target Read(ref FieldReader fields) => new() { Address = fields.Value() as string };
}

/// <summary>The target of a transactional link (AMQP 1.0 §4.5.1).</summary>
public sealed class Coordinator : IComposite
{
    internal const ulong Code = 0x30;

    public Symbol[]? Capabilities { get; set; }

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Capabilities);

    internal static Coordinator Read(ref FieldReader fields) => new() { Capabilities = fields.Symbols() };
}
