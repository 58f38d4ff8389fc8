namespace DroneDelivery.Amqp;

/// <summary>The header section of a message (AMQP 1.0 §3.2.1).</summary>
public sealed class MessageHeader
{
    public bool Durable { get; set; }
    public byte? Priority { get; set; }

    /// <summary>In milliseconds.</summary>
    public uint? Ttl { get; set; }
    public bool FirstAcquirer { get; set; }

    public uint DeliveryCount { get; set; }

    public void Encode(AmqpWriter writer) => Write(writer, Durable, Priority, Ttl, FirstAcquirer, DeliveryCount);

    public static void Write(
        AmqpWriter writer,
        bool durable,
        byte? priority,
        uint? ttl,
        bool firstAcquirer,
        uint deliveryCount
    )
    {
        var fields = writer.BeginFields(SectionCode.Header);
        writer.WriteBoolean(durable);
        writer.WriteUByte(priority);
        writer.WriteUInt(ttl);
        writer.WriteBoolean(firstAcquirer);
        writer.WriteUInt(deliveryCount);
        writer.EndList(fields, 5);
    }

    internal static MessageHeader Read(ref FieldReader fields) =>
        new()
        {
            Durable = fields.Boolean() ?? false,
            Priority = fields.UByte(),
            Ttl = fields.UInt(),
            FirstAcquirer = fields.Boolean() ?? false,
            DeliveryCount = fields.UInt() ?? 0,
        };
}
