namespace DroneDelivery.Amqp;

/// <summary>Where the messages of a link go (AMQP 1.0 §3.5.4).</summary>
public sealed class Target
{
    internal const ulong Code = 0x29;

    public string? Address { get; set; }
    public uint? Durable { get; set; }
    public Symbol? ExpiryPolicy { get; set; }
    /// <summary>Seconds.</summary>
    public uint? Timeout { get; set; }
    public bool? Dynamic { get; set; }
    public Dictionary<Symbol, object?>? DynamicNodeProperties { get; set; }
    public Symbol[]? Capabilities { get; set; }

    internal void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteString(Address);
        writer.Field(Durable);
        writer.Field(ExpiryPolicy);
        writer.Field(Timeout);
        writer.Field(Dynamic);
        writer.Field(DynamicNodeProperties);
        writer.WriteValue(Capabilities);
        writer.EndList(fields, 7);
    }

    internal static Target Read(ref FieldReader fields) => new()
    {
        Address = fields.Value() as string,
        Durable = fields.UInt(),
        ExpiryPolicy = fields.Symbol(),
        Timeout = fields.UInt(),
        Dynamic = fields.Boolean(),
        DynamicNodeProperties = fields.Map(),
        Capabilities = fields.Symbols(),
    };
}
