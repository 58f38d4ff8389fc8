namespace DroneDelivery.Amqp;

/// <summary>Where the messages of a link come from (AMQP 1.0 §3.5.3).</summary>
public sealed class Source
{
    internal const ulong Code = 0x28;

    public string? Address { get; set; }
    public uint? Durable { get; set; }
    public Symbol? ExpiryPolicy { get; set; }
    /// <summary>Seconds.</summary>
    public uint? Timeout { get; set; }
    public bool? Dynamic { get; set; }
    public Dictionary<Symbol, object?>? DynamicNodeProperties { get; set; }
    public Symbol? DistributionMode { get; set; }
    /// <summary>Filters by name; the values are <see cref="DescribedValue"/>s, though some clients send plain ones.</summary>
    public Dictionary<Symbol, object?>? Filter { get; set; }
    public DeliveryState? DefaultOutcome { get; set; }
    public Symbol[]? Outcomes { get; set; }
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
        writer.Field(DistributionMode);
        writer.Field(Filter);
        writer.Field(DefaultOutcome);
        writer.WriteValue(Outcomes);
        writer.WriteValue(Capabilities);
        writer.EndList(fields, 11);
    }

    internal static Source? Read(ReadOnlySpan<byte> encoded)
    {
        if (encoded.IsEmpty)
            return null;
        var fields = new FieldReader(encoded, out var descriptor);
        if (descriptor != Code)
            throw new AmqpException(ErrorConditions.NotImplemented, "attach.source is no source");
        var source = new Source
        {
            Address = fields.Value() as string,
            Durable = fields.UInt(),
            ExpiryPolicy = fields.Symbol(),
            Timeout = fields.UInt(),
            Dynamic = fields.Boolean(),
            DynamicNodeProperties = fields.Map(),
            DistributionMode = fields.Symbol(),
            Filter = fields.Map(),
            DefaultOutcome = fields.State(),
            Outcomes = fields.Symbols(),
            Capabilities = fields.Symbols(),
        };
        fields.End();
        return source;
    }
}
