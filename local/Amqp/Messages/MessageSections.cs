namespace DroneDelivery.Amqp;

/// <summary>The sections of an encoded message, found without decoding. Each slice starts with its descriptor, so that
/// it can be forwarded or passed to <see cref="AmqpMessage.Decode"/>. Absent sections are empty.</summary>
public readonly record struct MessageSections
{
    public ReadOnlyMemory<byte> Header { get; private init; }
    public ReadOnlyMemory<byte> DeliveryAnnotations { get; private init; }
    public ReadOnlyMemory<byte> MessageAnnotations { get; private init; }
    public ReadOnlyMemory<byte> Properties { get; private init; }
    public ReadOnlyMemory<byte> ApplicationProperties { get; private init; }

    public ReadOnlyMemory<byte> Body { get; private init; }
    public ReadOnlyMemory<byte> Footer { get; private init; }

    /// <summary>Properties, application properties, and body, which intermediaries must not change (AMQP 1.0
    /// §3.2).</summary>
    public ReadOnlyMemory<byte> Bare { get; private init; }

    public static MessageSections Split(ReadOnlyMemory<byte> encoded)
    {
        var reader = new AmqpReader(encoded.Span);
        var header = Next(ref reader, encoded, SectionCode.Header);
        var deliveryAnnotations = Next(ref reader, encoded, SectionCode.DeliveryAnnotations);
        var messageAnnotations = Next(ref reader, encoded, SectionCode.MessageAnnotations);
        var bare = reader.Position;
        var properties = Next(ref reader, encoded, SectionCode.Properties);
        var applicationProperties = Next(ref reader, encoded, SectionCode.ApplicationProperties);
        var body = NextBody(ref reader, encoded);
        var bareEnd = reader.Position;
        var footer = Next(ref reader, encoded, SectionCode.Footer);
        if (!reader.IsAtEnd)
            throw NoSection(reader.ReadDescriptor());
        return new MessageSections
        {
            Header = header,
            DeliveryAnnotations = deliveryAnnotations,
            MessageAnnotations = messageAnnotations,
            Properties = properties,
            ApplicationProperties = applicationProperties,
            Body = body,
            Footer = footer,
            Bare = encoded[bare..bareEnd],
        };
    }

    internal static AmqpException NoSection(ulong descriptor) =>
        new(ErrorConditions.DecodeError, $"0x{descriptor:x} is not a message section, or is out of order");

    private static ReadOnlyMemory<byte> NextBody(ref AmqpReader reader, ReadOnlyMemory<byte> encoded)
    {
        var start = reader.Position;
        var value = Next(ref reader, encoded, SectionCode.Value);
        if (!value.IsEmpty)
            return value;
        while (!Next(ref reader, encoded, SectionCode.Data).IsEmpty) { }
        while (!Next(ref reader, encoded, SectionCode.Sequence).IsEmpty) { }
        return encoded[start..reader.Position];
    }

    private static ReadOnlyMemory<byte> Next(ref AmqpReader reader, ReadOnlyMemory<byte> encoded, ulong section)
    {
        if (reader.IsAtEnd)
            return default;
        var ahead = reader;
        if (ahead.ReadDescriptor() != section)
            return default;
        ahead.Skip();
        var found = encoded[reader.Position..ahead.Position];
        reader = ahead;
        return found;
    }
}

/// <summary>The descriptors of message sections (AMQP 1.0 §3.2).</summary>
public static class SectionCode
{
    public const ulong Header = 0x70;
    public const ulong DeliveryAnnotations = 0x71;
    public const ulong MessageAnnotations = 0x72;
    public const ulong Properties = 0x73;
    public const ulong ApplicationProperties = 0x74;
    public const ulong Data = 0x75;
    public const ulong Sequence = 0x76;
    public const ulong Value = 0x77;
    public const ulong Footer = 0x78;
}
