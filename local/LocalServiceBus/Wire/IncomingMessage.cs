using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Parses sent messages. Decodes only the header and annotations. Rejects everything that couldn't be
/// forwarded to receivers.</summary>
internal static class IncomingMessage
{
    /// <summary>The message format of a batch, in which each data section is an encoded message.</summary>
    public const uint BatchFormat = 0x80013700;

    /// <summary>The maximum number of messages per batch. Each needs more memory than its encoded bytes.</summary>
    public const int MaxInBatch = 10_000;

    public const int MaxSessionIdLength = 128;

    // Up to this number, comparing names one by one is faster than a hash set.
    private const int FewNames = 16;

    /// <summary>The space that a link reserves in front of a message to insert an ID in place.</summary>
    public static int Headroom => GeneratedMessageId.SectionSize;

    public static MessageContent[] Read(
        ReadOnlyMemory<byte> payload,
        uint format,
        bool withMessageId,
        bool withSessionId = false,
        Memory<byte> buffer = default
    ) =>
        format == BatchFormat
            ? ReadBatch(payload, withMessageId, withSessionId)
            : [Read(payload, withMessageId, withSessionId, buffer)];

    // Separate, so that single messages don't allocate the closure.
    private static MessageContent[] ReadBatch(ReadOnlyMemory<byte> payload, bool withMessageId, bool withSessionId)
    {
        var messages = AmqpMessage.Decode(MessageSections.Split(payload).Body).Data
            ?? throw Malformed("The batch contains no data section.");
        // Copy each message; otherwise, one remaining message would keep the whole batch in memory.
        return messages.Count switch
        {
            1 => [Read(messages[0], withMessageId, withSessionId) with { WireSize = payload.Length }],
            <= MaxInBatch => [.. messages.Select(message => Read(message.ToArray(), withMessageId, withSessionId))],
            _ => throw Malformed($"A batch can contain at most {MaxInBatch} messages."),
        };
    }

    /// <param name="buffer">The writable buffer that ends with the message; empty if it isn't writable.</param>
    public static MessageContent Read(
        ReadOnlyMemory<byte> encoded,
        bool withMessageId,
        bool withSessionId = false,
        Memory<byte> buffer = default
    )
    {
        var sections = MessageSections.Split(encoded);
        if (encoded.Length - sections.Body.Length - sections.Footer.Length > MemorySize.MaxProperties)
            throw new AmqpException(ClientErrors.PropertiesTooLarge);
        var header = sections.Header.IsEmpty ? null : AmqpMessage.Decode(sections.Header).Header;
        var annotations = IncomingAnnotations.Read(sections.MessageAnnotations);
        RequireNames(sections.ApplicationProperties.Span);
        // Duplicate detection needs only the senders' IDs. Generated IDs are unique.
        var messageId = withMessageId ? MessageIdOf(sections.Properties) : null;
        var sessionId = withSessionId ? RequireSessionId(sections.Properties) : null;
        if (annotations.PartitionKey is { } key && SessionIdOf(sections.Properties) is { } session && key != session)
            throw new AmqpException(ClientErrors.OtherPartition(key, session));
        var timeToLive = TimeToLiveOf(header, sections.Properties);
        // From here on, the buffer may be overwritten, except if annotations still refer to it.
        var body = EnsureId(
            encoded,
            sections,
            annotations is { Values: > 0, CopiedBytes: 0 } ? Memory<byte>.Empty : buffer
        );
        return new MessageContent(body)
        {
            WireSize = Math.Max(encoded.Length, body.Length) + annotations.CopiedBytes,
            MessageId = messageId,
            SessionId = sessionId,
            TimeToLive = timeToLive,
            Durable = header?.Durable ?? false,
            Priority = header?.Priority,
            ScheduledEnqueueTime = annotations.ScheduledEnqueueTime,
            Annotations = annotations.Kept,
            AnnotationValues = annotations.Values,
        };
    }

    /// <summary>Always reads the properties, because they can contain the expiry time.</summary>
    private static TimeSpan? TimeToLiveOf(MessageHeader? header, ReadOnlyMemory<byte> properties)
    {
        var life = ExplicitLifetime.Of(properties.Span);
        if (header?.Ttl is not { } milliseconds)
            return null;
        return milliseconds == uint.MaxValue && life?.Length > TimeSpan.Zero
            ? life.Value.Length
            : TimeSpan.FromMilliseconds(milliseconds);
    }

    private static string? RequireSessionId(ReadOnlyMemory<byte> properties)
    {
        var id = SessionIdOf(properties);
        return id is null || id.Length <= MaxSessionIdLength ? id : throw SessionIdTooLong;
    }

    public static string? SessionIdOf(ReadOnlyMemory<byte> properties) =>
        properties.IsEmpty ? null : AmqpMessage.Decode(properties).Properties!.GroupId;

    /// <summary>Reads the IDs of a message that is forwarded to a queue that needs them. Ignores session IDs that are
    /// too long.</summary>
    public static MessageContent WithIds(MessageContent content)
    {
        var properties = MessageSections.Split(content.Body).Properties;
        return content with
        {
            MessageId = MessageIdOf(properties),
            SessionId = SessionIdOf(properties) is { Length: <= MaxSessionIdLength } id ? id : null,
        };
    }

    public static void RequireId(object? id)
    {
        if (id is not (null or string or Guid or ulong or byte[]))
            throw Malformed("The message ID must be a string, uuid, ulong, or binary.");
    }

    /// <summary>Validates only the names of application properties, which is sufficient to change properties.</summary>
    private static void RequireNames(ReadOnlySpan<byte> applicationProperties)
    {
        if (applicationProperties.IsEmpty)
            return;
        var reader = new AmqpReader(applicationProperties);
        reader.ReadDescriptor();
        var count = reader.ReadMapHead() / 2;
        if (count <= FewNames)
            RequireFewNames(applicationProperties, ref reader, count);
        else
            RequireManyNames(ref reader, count);
        if (!reader.IsAtEnd)
            throw Malformed("The application properties contain more items than their count.");
    }

    private static void RequireFewNames(ReadOnlySpan<byte> applicationProperties, ref AmqpReader reader, int count)
    {
        Span<Range> names = stackalloc Range[FewNames];
        for (var i = 0; i < count; i++)
        {
            var name = reader.ReadUtf8();
            names[i] = new Range(reader.Position - name.Length, reader.Position);
            foreach (var other in names[..i])
            {
                if (name.SequenceEqual(applicationProperties[other]))
                    throw DuplicateName();
            }
            reader.Skip();
        }
    }

    private static void RequireManyNames(ref AmqpReader reader, int count)
    {
        var names = new HashSet<string>();
        for (var i = 0; i < count; i++)
        {
            if (!names.Add(reader.ReadString()))
                throw DuplicateName();
            reader.Skip();
        }
    }

    private static AmqpException DuplicateName() => Malformed("Two application properties have the same name.");

    private static bool HasMessageId(ReadOnlyMemory<byte> properties)
    {
        if (properties.IsEmpty)
            return false;
        var reader = new AmqpReader(properties.Span);
        reader.ReadDescriptor();
        return reader.ReadListHead() > 0 && !reader.TryReadNull();
    }

    /// <summary>Adds a message ID if there is none, like Service Bus. SDKs depend on it: the one for JavaScript can't
    /// settle messages without an ID.</summary>
    private static ReadOnlyMemory<byte> EnsureId(
        ReadOnlyMemory<byte> encoded,
        in MessageSections sections,
        Memory<byte> buffer
    )
    {
        var given = encoded[^(sections.Bare.Length + sections.Footer.Length)..];
        if (HasMessageId(sections.Properties))
            return given;
        var rest = given[sections.Properties.Length..];
        if (sections.Properties.IsEmpty && buffer.Length >= GeneratedMessageId.SectionSize + rest.Length)
        {
            var whole = buffer[^(GeneratedMessageId.SectionSize + rest.Length)..];
            GeneratedMessageId.WriteSection(whole.Span);
            return whole;
        }
        using var properties = new AmqpWriter();
        WriteWithId(properties, sections.Properties);
        properties.WriteRaw(rest.Span);
        return properties.WrittenSpan.ToArray();
    }

    private static void WriteWithId(AmqpWriter writer, ReadOnlyMemory<byte> encodedProperties)
    {
        if (encodedProperties.IsEmpty)
        {
            GeneratedMessageId.WriteSection(writer.Reserve(GeneratedMessageId.SectionSize));
            return;
        }
        var properties = AmqpMessage.Decode(encodedProperties).Properties!;
        RequireId(properties.CorrelationId);
        properties.MessageId = GeneratedMessageId.Next();
        properties.Encode(writer);
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
        new(
            new(ServiceBusErrors.ArgumentOutOfRange, $"A session ID can have at most {MaxSessionIdLength} characters.")
        );

    internal static AmqpException Malformed(string why) => new(new AmqpError(ErrorConditions.DecodeError, why));
}
