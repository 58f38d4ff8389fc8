using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Takes apart what a sender transferred: header and annotations are read, the rest stays the bytes it is.</summary>
internal static class IncomingMessage
{
    /// <summary>A transfer of this format is an envelope: each of its data sections is one encoded message.</summary>
    public const uint BatchFormat = 0x80013700;

    /// <exception cref="AmqpException">Not an encoded message.</exception>
    public static MessageContent[] Read(ReadOnlyMemory<byte> payload, uint format, bool withMessageId)
    {
        if (format != BatchFormat) return [Read(payload, withMessageId)];
        var messages = AmqpMessage.Decode(MessageSections.Split(payload).Body).Data ?? [];
        return [.. messages.Select(message => Read(message, withMessageId))];
    }

    /// <param name="encoded">One message.</param>
    /// <param name="withMessageId">The properties are only read where somebody needs the id.</param>
    /// <exception cref="AmqpException">Not an encoded message.</exception>
    public static MessageContent Read(ReadOnlyMemory<byte> encoded, bool withMessageId)
    {
        var sections = MessageSections.Split(encoded);
        var header = sections.Header.IsEmpty ? null : AmqpMessage.Decode(sections.Header).Header;
        var annotations = sections.MessageAnnotations.IsEmpty ? null : AmqpMessage.Decode(sections.MessageAnnotations).MessageAnnotations;
        var body = encoded[^(sections.Bare.Length + sections.Footer.Length)..];
        return new MessageContent(HasMessageId(sections.Properties) ? body : AddMessageId(body, sections.Properties))
        {
            // An id that is given here is like no other: duplicate detection needs to know only those of senders.
            MessageId = withMessageId ? MessageIdOf(sections.Properties) : null,
            TimeToLive = header?.Ttl is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : null,
            Durable = header?.Durable ?? false,
            Priority = header?.Priority,
            ScheduledEnqueueTime = annotations?.GetValueOrDefault(Annotations.ScheduledEnqueueTime) as DateTimeOffset?,
            Annotations = Kept(annotations),
        };
    }

    static bool HasMessageId(ReadOnlyMemory<byte> properties)
    {
        if (properties.IsEmpty) return false;
        var reader = new AmqpReader(properties.Span);
        reader.ReadDescriptor();
        return reader.ReadListHead() > 0 && !reader.TryReadNull();
    }

    /// <summary>The service gives an id to a message without one, and SDKs rely on it: that for JavaScript settles nothing without.</summary>
    static ReadOnlyMemory<byte> AddMessageId(ReadOnlyMemory<byte> body, ReadOnlyMemory<byte> encodedProperties)
    {
        var properties = encodedProperties.IsEmpty ? new MessageProperties() : AmqpMessage.Decode(encodedProperties).Properties!;
        properties.MessageId = Guid.NewGuid().ToString("N");
        using var writer = new AmqpWriter();
        properties.Encode(writer);
        writer.WriteRaw(body.Span[encodedProperties.Length..]);
        return writer.WrittenSpan.ToArray();
    }

    static string? MessageIdOf(ReadOnlyMemory<byte> properties) => properties.IsEmpty ? null : AmqpMessage.Decode(properties).Properties?.MessageId switch
    {
        null => null,
        byte[] bytes => Convert.ToHexString(bytes),
        var id => id.ToString(),
    };

    static Dictionary<string, object?>? Kept(Dictionary<Symbol, object?>? annotations)
    {
        if (annotations is null) return null;
        var kept = annotations.Where(annotation => !Annotations.IsBrokers(annotation.Key)).ToDictionary(annotation => annotation.Key.Value, annotation => annotation.Value);
        return kept.Count > 0 ? kept : null;
    }
}
