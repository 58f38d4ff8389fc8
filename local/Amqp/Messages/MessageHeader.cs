namespace DroneDelivery.Amqp;

/// <summary>Transfer headers that a node may change (AMQP 1.0 §3.2.1).</summary>
public sealed class MessageHeader
{
    public bool Durable { get; set; }
    public byte? Priority { get; set; }
    /// <summary>Milliseconds.</summary>
    public uint? Ttl { get; set; }
    public bool FirstAcquirer { get; set; }
    /// <summary>Prior deliveries that failed.</summary>
    public uint DeliveryCount { get; set; }

    /// <summary>Writes the whole section, every field included.</summary>
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(SectionCode.Header);
        writer.WriteBoolean(Durable);
        writer.Field(Priority);
        writer.Field(Ttl);
        writer.WriteBoolean(FirstAcquirer);
        writer.WriteUInt(DeliveryCount);
        writer.EndList(fields, 5);
    }

    internal static MessageHeader Read(ref FieldReader fields) => new()
    {
        Durable = fields.Boolean() ?? false,
        Priority = fields.UByte(),
        Ttl = fields.UInt(),
        FirstAcquirer = fields.Boolean() ?? false,
        DeliveryCount = fields.UInt() ?? 0,
    };
}
