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

    // Names are compared one by one up to so many, which costs less than a table of them.
    private const int FewNames = 16;

    /// <summary>What a link leaves free ahead of a message, so that an id can be put into it where it is.</summary>
    public static int Headroom => GeneratedMessageId.SectionSize;

    /// <param name="buffer">See the other one.</param>
    /// <exception cref="AmqpException">Neither an encoded message nor a batch of them.</exception>
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

    // A method of its own: the closure would be made for every message.
    private static MessageContent[] ReadBatch(ReadOnlyMemory<byte> payload, bool withMessageId, bool withSessionId)
    {
        var messages = AmqpMessage.Decode(MessageSections.Split(payload).Body).Data
            ?? throw Malformed("A batch has no data section.");
        // Each gets bytes of its own: as parts of the batch, one message that stays would keep all of them in memory.
        return messages.Count switch
        {
            1 => [Read(messages[0], withMessageId, withSessionId) with { WireSize = payload.Length }],
            <= MostInBatch => [.. messages.Select(message => Read(message.ToArray(), withMessageId, withSessionId))],
            _ => throw Malformed($"A batch has at most {MostInBatch} messages."),
        };
    }

    /// <param name="withMessageId">The properties are only read where somebody needs the id.</param>
    /// <param name="buffer">Ends with the message, and may be written to; empty: it may not.</param>
    /// <exception cref="AmqpException">Not an encoded message.</exception>
    public static MessageContent Read(
        ReadOnlyMemory<byte> encoded,
        bool withMessageId,
        bool withSessionId = false,
        Memory<byte> buffer = default
    )
    {
        var sections = MessageSections.Split(encoded);
        if (encoded.Length - sections.Body.Length - sections.Footer.Length > MemorySize.MaxProperties)
            throw new AmqpException(Refusal.PropertiesTooLarge);
        var header = sections.Header.IsEmpty ? null : AmqpMessage.Decode(sections.Header).Header;
        var annotations = IncomingAnnotations.Read(sections.MessageAnnotations);
        RequireNames(sections.ApplicationProperties.Span);
        // An id that is given here is like no other: duplicate detection needs to know only those of senders.
        var messageId = withMessageId ? MessageIdOf(sections.Properties) : null;
        var sessionId = withSessionId ? RequireSessionId(sections.Properties) : null;
        if (annotations.PartitionKey is { } key && SessionIdOf(sections.Properties) is { } session && key != session)
            throw new AmqpException(Refusal.OtherPartition(key, session));
        var timeToLive = TimeToLiveOf(header, sections.Properties);
        // From here on the bytes that came may be overwritten; annotations that stay where they are must not be.
        var body = GiveId(
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

    /// <summary>The properties are read in any case: they must be good, because the end of the message's life is written there.</summary>
    private static TimeSpan? TimeToLiveOf(MessageHeader? header, ReadOnlyMemory<byte> properties)
    {
        var life = ExplicitLifetime.Of(properties.Span);
        if (header?.Ttl is not { } milliseconds)
            return null;
        return milliseconds == uint.MaxValue && life?.Length > TimeSpan.Zero
            ? life.Value.Length
            : TimeSpan.FromMilliseconds(milliseconds);
    }

    /// <param name="properties">Section of a message; empty: absent.</param>
    /// <exception cref="AmqpException">An id that is too long.</exception>
    private static string? RequireSessionId(ReadOnlyMemory<byte> properties)
    {
        var id = SessionIdOf(properties);
        return id is null || id.Length <= LongestSessionId ? id : throw SessionIdTooLong;
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
        var count = reader.ReadMapHead() / 2;
        if (count <= FewNames)
            RequireFewNames(applicationProperties, ref reader, count);
        else
            RequireManyNames(ref reader, count);
        if (!reader.IsAtEnd)
            throw Malformed("There is more among the application properties than their count says.");
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
                    throw TwoOfOneName();
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
                throw TwoOfOneName();
            reader.Skip();
        }
    }

    private static AmqpException TwoOfOneName() => Malformed("Two application properties have the same name.");

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
    /// <param name="buffer">As in <see cref="Read(ReadOnlyMemory{byte}, bool, bool, Memory{byte})"/>.</param>
    /// <returns>Properties, application properties and body.</returns>
    private static ReadOnlyMemory<byte> GiveId(
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
        new(new(ServiceBusErrors.ArgumentOutOfRange, $"A session id has at most {LongestSessionId} characters."));

    internal static AmqpException Malformed(string why) => new(new AmqpError(ErrorConditions.DecodeError, why));
}
