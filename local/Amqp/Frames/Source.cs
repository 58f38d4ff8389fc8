namespace DroneDelivery.Amqp;

/// <summary>Where the messages of a link come from (AMQP 1.0 §3.5.3). What is dynamic or an outcome is left out.</summary>
public sealed class Source : IComposite
{
    internal const ulong Code = 0x28;

    // Of durable, expiry-policy, timeout, dynamic and dynamic-node-properties.
    private const int FieldsBehindAddress = 5;

    public string? Address { get; set; }

    /// <summary>Only sent: the broker's queues are as durable as it is.</summary>
    public uint? Durable { get; set; }
    public Symbol? DistributionMode { get; set; }

    /// <summary>Filters by name; the values are <see cref="DescribedValue"/>s, though some clients send plain ones.</summary>
    public Dictionary<Symbol, object?>? Filter { get; set; }

    public void Write(AmqpWriter writer) =>
        writer.WriteFields(Code, Address, Durable, null, null, null, null, DistributionMode, Filter, null, null, null);

    internal static Source Read(ulong descriptor, ref FieldReader fields)
    {
        if (descriptor != Code)
            throw new AmqpException(ErrorConditions.NotImplemented, "attach.source is no source");
        var source = new Source { Address = fields.Value() as string };
        fields.Skip(FieldsBehindAddress);
        source.DistributionMode = fields.Symbol();
        source.Filter = fields.Map();
        return source;
    }
}
