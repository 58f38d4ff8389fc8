namespace DroneDelivery.Amqp;

/// <summary>The source of a link (AMQP 1.0 §3.5.3), without dynamic nodes and outcomes.</summary>
public sealed class Source : IComposite
{
    internal const ulong Code = 0x28;

    // The fields durable, expiry-policy, timeout, dynamic, and dynamic-node-properties.
    private const int FieldsAfterAddress = 5;

    public string? Address { get; set; }

    /// <summary>Only sent. Received values have no effect.</summary>
    public uint? Durable { get; set; }
    public Symbol? DistributionMode { get; set; }

    /// <summary>The filters by name. Values should be <see cref="DescribedValue"/>s, but some clients send plain
    /// values.</summary>
    public Dictionary<Symbol, object?>? Filter { get; set; }

    public void Write(AmqpWriter writer) =>
        writer.WriteFields(Code, Address, Durable, null, null, null, null, DistributionMode, Filter, null, null, null);

    internal static Source Read(ulong descriptor, ref FieldReader fields)
    {
        if (descriptor != Code)
            throw new AmqpException(ErrorConditions.NotImplemented, "attach.source is not a source");
        var source = new Source { Address = fields.Value() as string };
        fields.Skip(FieldsAfterAddress);
        source.DistributionMode = fields.Symbol();
        source.Filter = fields.Map();
        return source;
    }
}
