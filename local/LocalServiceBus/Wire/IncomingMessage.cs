using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Takes apart what a sender transferred: header and annotations are read, the rest stays the bytes it is. What could not be
/// written for a receiver is refused here, where the sender still hears of it.</summary>
internal static class IncomingMessage
{
    /// <summary>A transfer of this format is an envelope: each of its data sections is one encoded message.</summary>
    public const uint BatchFormat = 0x80013700;

    /// <summary>Messages in one batch: each costs the broker more than the few bytes that it may have.</summary>
    public const int MostInBatch = 10_000;

    public const int LongestSessionId = 128;

    /// <exception cref="AmqpException">Not an encoded message.</exception>
    public static MessageContent[] Read(ReadOnlyMemory<byte> payload, uint format, bool withMessageId, bool withSessionId = false)
    {
        if (format != BatchFormat)
            return [Read(payload, withMessageId, withSessionId)];
        var messages = AmqpMessage.Decode(MessageSections.Split(payload).Body).Data ?? throw Malformed("A batch has no data section.");
        // Each gets bytes of its own: as parts of the batch, one message that stays would keep all of them in memory.
        return messages.Count switch
        {
            1 => [Read(messages[0], withMessageId, withSessionId) with { WireSize = payload.Length }],
            <= MostInBatch => [.. messages.Select(message => Read(message.ToArray(), withMessageId, withSessionId))],
            _ => throw Malformed($"A batch has at most {MostInBatch} messages."),
        };
    }

    /// <param name="encoded">One message.</param>
    /// <param name="withMessageId">The properties are only read where somebody needs the id.</param>
    /// <param name="withSessionId">The same.</param>
    /// <exception cref="AmqpException">Not an encoded message.</exception>
    public static MessageContent Read(ReadOnlyMemory<byte> encoded, bool withMessageId, bool withSessionId = false)
    {
        var sections = MessageSections.Split(encoded);
        var header = sections.Header.IsEmpty ? null : AmqpMessage.Decode(sections.Header).Header;
        var annotations = IncomingAnnotations.Read(sections.MessageAnnotations);
        RequireNames(sections.ApplicationProperties.Span);
        var given = encoded[^(sections.Bare.Length + sections.Footer.Length)..];
        var body = HasMessageId(sections.Properties) ? given : AddMessageId(given, sections.Properties);
        return new MessageContent(body)
        {
            WireSize = Math.Max(encoded.Length, body.Length) + annotations.CopiedBytes,
            // An id that is given here is like no other: duplicate detection needs to know only those of senders.
            MessageId = withMessageId ? MessageIdOf(sections.Properties) : null,
            SessionId = withSessionId ? RequireSessionId(sections.Properties) : null,
            TimeToLive = header?.Ttl is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : null,
            Durable = header?.Durable ?? false,
            Priority = header?.Priority,
            ScheduledEnqueueTime = annotations.ScheduledEnqueueTime,
            Annotations = annotations.Kept,
            AnnotationValues = annotations.Values,
        };
    }

    /// <param name="properties">Section of a message; empty: absent.</param>
    /// <exception cref="AmqpException">An id that is too long.</exception>
    private static string? RequireSessionId(ReadOnlyMemory<byte> properties)
    {
        var id = SessionIdOf(properties);
        return id is null || id.Length <= LongestSessionId
            ? id
            : throw SessionIdTooLong;
    }

    /// <summary>As it is.</summary>
    /// <param name="properties">Section of a message; empty: absent.</param>
    public static string? SessionIdOf(ReadOnlyMemory<byte> properties) =>
        properties.IsEmpty ? null : AmqpMessage.Decode(properties).Properties!.GroupId;

    /// <summary>What a queue did not need and another does. An id of a session that no sender might use counts as none.</summary>
    public static MessageContent WithIds(MessageContent content)
    {
        var properties = MessageSections.Split(content.Body).Properties;
        return content with
        {
            MessageId = MessageIdOf(properties),
            SessionId = SessionIdOf(properties) is { Length: <= LongestSessionId } id ? id : null,
        };
    }

    /// <exception cref="AmqpException">The id is of a type that AMQP has no ids of, so that no message could carry it.</exception>
    public static void RequireId(object? id)
    {
        if (id is not (null or string or Guid or ulong or byte[]))
            throw Malformed("An id must be a string, uuid, ulong or binary.");
    }

    /// <summary>A change of the properties looks at their names alone; the values are the receiver's business.</summary>
    private static void RequireNames(ReadOnlySpan<byte> applicationProperties)
    {
        if (applicationProperties.IsEmpty)
            return;
        var reader = new AmqpReader(applicationProperties);
        reader.ReadDescriptor();
        var names = new HashSet<string>();
        for (var values = reader.ReadMapHead(); values > 0; values -= 2)
        {
            if (!names.Add(reader.ReadString()))
                throw Malformed("Two application properties have the same name.");
            reader.Skip();
        }
        if (!reader.IsAtEnd)
            throw Malformed("There is more among the application properties than their count says.");
    }

    private static bool HasMessageId(ReadOnlyMemory<byte> properties)
    {
        if (properties.IsEmpty)
            return false;
        var reader = new AmqpReader(properties.Span);
        reader.ReadDescriptor();
        return reader.ReadListHead() > 0 && !reader.TryReadNull();
    }

    /// <summary>The service gives an id to a message without one, and SDKs rely on it: that for JavaScript settles nothing
    /// without.</summary>
    private static ReadOnlyMemory<byte> AddMessageId(ReadOnlyMemory<byte> body, ReadOnlyMemory<byte> encodedProperties)
    {
        var properties = encodedProperties.IsEmpty ? new MessageProperties() : AmqpMessage.Decode(encodedProperties).Properties!;
        RequireId(properties.CorrelationId);
        properties.MessageId = Guid.NewGuid().ToString("N");
        using var writer = new AmqpWriter();
        properties.Encode(writer);
        writer.WriteRaw(body.Span[encodedProperties.Length..]);
        return writer.WrittenSpan.ToArray();
    }

    private static string? MessageIdOf(ReadOnlyMemory<byte> properties)
    {
        if (properties.IsEmpty)
            return null;
        return AmqpMessage.Decode(properties).Properties?.MessageId switch
        {
            null => null,
            byte[] bytes => Convert.ToHexString(bytes),
            var id => id.ToString(),
        };
    }

    internal static AmqpException SessionIdTooLong =>
        new(new(ServiceBusErrors.ArgumentOutOfRange, $"A session id has at most {LongestSessionId} characters."));

    internal static AmqpException Malformed(string why) => new(new AmqpError(ErrorConditions.DecodeError, why));
}
