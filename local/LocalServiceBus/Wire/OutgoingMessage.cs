using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Writes the sections that differ between deliveries. The sender's bytes follow unchanged.</summary>
internal static class OutgoingMessage
{
    private const int DeferredState = 1,
        ScheduledState = 2;

    // A day before the maximum, like SDKs, to allow for time zones.
    private static readonly DateTimeOffset Never = DateTimeOffset.MaxValue.AddDays(-1);

    private static readonly byte[] SequenceNumberKey = Encode(Annotations.SequenceNumber);
    private static readonly byte[] EnqueuedSequenceNumberKey = Encode(Annotations.EnqueuedSequenceNumber);
    private static readonly byte[] EnqueuedTimeKey = Encode(Annotations.EnqueuedTime);
    private static readonly byte[] LockedUntilKey = Encode(Annotations.LockedUntil);
    private static readonly byte[] StateKey = Encode(Annotations.State);
    private static readonly byte[] DeadLetterSourceKey = Encode(Annotations.DeadLetterSource);

    /// <summary>Writes the header, annotations, and other changed sections.</summary>
    /// <returns>The rest of the message, to be sent after the written bytes.</returns>
    public static ReadOnlyMemory<byte> WriteHead(AmqpWriter writer, QueuedMessage message, MessageLock? held)
    {
        WriteHeader(writer, message);
        return WriteAfterHeader(writer, message, held);
    }

    /// <summary>Encodes the whole message, for replies of <c>$management</c>.</summary>
    public static byte[] ToArray(QueuedMessage message, MessageLock? held)
    {
        using var writer = new AmqpWriter();
        WriteHeader(writer, message);
        if (held is not null)
            WriteLockToken(writer, held);
        var rest = WriteAfterHeader(writer, message, held);
        return [.. writer.WrittenSpan, .. rest.Span];
    }

    private static ReadOnlyMemory<byte> WriteAfterHeader(AmqpWriter writer, QueuedMessage message, MessageLock? held)
    {
        WriteAnnotations(writer, message, held);
        var body = WriteLifetime(writer, message);
        return message.ChangedProperties is { } changes ? WriteProperties(writer, body, changes) : body;
    }

    /// <summary>Replaces the expiry time, if the sender specified one, with the actual one, which counts from the
    /// enqueue time.</summary>
    private static ReadOnlyMemory<byte> WriteLifetime(AmqpWriter writer, QueuedMessage message)
    {
        var body = message.Content.Body;
        if (ExplicitLifetime.Of(body.Span) is not { } life)
            return body;
        var properties = MessageSections.Split(body).Properties.Span;
        var from =
            message.State == MessageState.Scheduled ? message.Content.ScheduledEnqueueTime!.Value : message.EnqueuedAt;
        var end = message.TimeToLive < Never - from ? from + message.TimeToLive.Value : Never;
        var copy = writer.Reserve(properties.Length);
        properties.CopyTo(copy);
        life.Write(copy, from, end);
        return body[properties.Length..];
    }

    private static void WriteHeader(AmqpWriter writer, QueuedMessage message) =>
        MessageHeader.Write(
            writer,
            message.Content.Durable,
            message.Content.Priority,
            ttl: message.TimeToLive is { } timeToLive ? (uint)timeToLive.TotalMilliseconds : null,
            firstAcquirer: false,
            (uint)message.DeliveryCount
        );

    /// <summary>Writes the lock token as a delivery annotation, where SDKs for Python expect it, because messages in
    /// replies have no delivery tag.</summary>
    private static void WriteLockToken(AmqpWriter writer, MessageLock held)
    {
        writer.WriteDescriptor(SectionCode.DeliveryAnnotations);
        var map = writer.BeginMap();
        writer.WriteSymbol(Annotations.LockToken);
        writer.WriteUuid(held.Token);
        writer.EndMap(map, 2);
    }

    private static void WriteAnnotations(AmqpWriter writer, QueuedMessage message, MessageLock? held)
    {
        writer.WriteDescriptor(SectionCode.MessageAnnotations);
        var map = writer.BeginMap();
        writer.WriteRaw(SequenceNumberKey);
        writer.WriteLong(message.SequenceNumber);
        writer.WriteRaw(EnqueuedSequenceNumberKey);
        writer.WriteLong(message.EnqueuedSequenceNumber);
        writer.WriteRaw(EnqueuedTimeKey);
        writer.WriteTimestamp(message.EnqueuedAt);
        var values = 6;
        if (held is not null)
        {
            writer.WriteRaw(LockedUntilKey);
            writer.WriteTimestamp(held.Until);
            values += 2;
        }
        if (StateOf(message) is { } state)
        {
            writer.WriteRaw(StateKey);
            writer.WriteInt(state);
            values += 2;
        }
        if (message.DeadLetterSource is { } source)
        {
            writer.WriteRaw(DeadLetterSourceKey);
            writer.WriteString(source);
            values += 2;
        }
        writer.WriteRaw(message.Content.Annotations.Span);
        writer.EndMap(map, values + message.Content.AnnotationValues);
    }

    private static ReadOnlyMemory<byte> WriteProperties(
        AmqpWriter writer,
        ReadOnlyMemory<byte> body,
        IReadOnlyDictionary<string, object?> changes
    )
    {
        var sections = MessageSections.Split(body);
        writer.WriteRaw(sections.Properties.Span);
        var changed = changes.Select(change => KeyValuePair.Create(change.Key, DescribedProperty.ToAmqp(change.Value)));
        WriteProperties(writer, sections.ApplicationProperties.Span, changes.ContainsKey, changed);
        return body[^(sections.Body.Length + sections.Footer.Length)..];
    }

    /// <summary>Writes the unchanged application properties, without decoding their values, and then the changed
    /// ones.</summary>
    public static void WriteProperties(
        AmqpWriter writer,
        ReadOnlySpan<byte> applicationProperties,
        Func<string, bool> isChanged,
        IEnumerable<KeyValuePair<string, object?>> changes
    )
    {
        writer.WriteDescriptor(SectionCode.ApplicationProperties);
        var map = writer.BeginMap();
        var values = applicationProperties.IsEmpty ? 0 : CopyOthers(writer, applicationProperties, isChanged);
        foreach (var (name, value) in changes)
        {
            writer.WriteString(name);
            writer.WriteValue(value);
            values += 2;
        }
        writer.EndMap(map, values);
    }

    private static int CopyOthers(
        AmqpWriter writer,
        ReadOnlySpan<byte> applicationProperties,
        Func<string, bool> isChanged
    )
    {
        var reader = new AmqpReader(applicationProperties);
        reader.ReadDescriptor();
        var written = 0;
        for (var values = reader.ReadMapHead(); values > 0; values -= 2)
        {
            var name = reader.ReadString();
            var value = reader.ReadEncoded();
            if (isChanged(name))
                continue;
            writer.WriteString(name);
            writer.WriteRaw(value);
            written += 2;
        }
        return written;
    }

    private static int? StateOf(QueuedMessage message) =>
        message.IsDeferred ? DeferredState
        : message.State == MessageState.Scheduled ? ScheduledState
        : null;

    private static byte[] Encode(string key) => AmqpWriter.Encode(writer => writer.WriteSymbol(key));
}
