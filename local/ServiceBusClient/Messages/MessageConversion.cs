using System.Globalization;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>Messages of this library as AMQP messages and back.</summary>
internal static class MessageConversion
{
    public static AmqpMessage ToAmqp(ServiceBusMessage message, TimeProvider time) => new()
    {
        Header = Header(message),
        MessageAnnotations = AnnotationsOf(message),
        Properties = Properties(message, time),
        ApplicationProperties = ApplicationProperties(message),
        Data = [message.Body.ToMemory()],
    };

    /// <param name="encoded">The message as it came.</param>
    /// <param name="lockToken">Under which it is locked; empty when it is not.</param>
    /// <param name="peeked">A peek shows the stored delivery count; every other way this delivery is counted too.</param>
    public static ServiceBusReceivedMessage FromAmqp(ReadOnlyMemory<byte> encoded, Guid lockToken, bool peeked = false)
    {
        var message = AmqpMessage.Decode(encoded);
        var properties = message.Properties ?? new MessageProperties();
        var annotations = message.MessageAnnotations ?? [];
        return new ServiceBusReceivedMessage(Body(message))
        {
            MessageId = Text(properties.MessageId),
            PartitionKey = annotations.GetValueOrDefault(Annotations.PartitionKey) as string,
            TransactionPartitionKey = annotations.GetValueOrDefault(Annotations.ViaPartitionKey) as string,
            SessionId = properties.GroupId,
            ReplyToSessionId = properties.ReplyToGroupId,
            TimeToLive = TimeToLive(message.Header, properties),
            CorrelationId = Text(properties.CorrelationId),
            Subject = properties.Subject,
            To = properties.To,
            ContentType = properties.ContentType?.Value,
            ReplyTo = properties.ReplyTo,
            ScheduledEnqueueTime = Time(annotations, Annotations.ScheduledEnqueueTime),
            ApplicationProperties = PropertyValues.FromAmqp(message.ApplicationProperties ?? []),
            DeliveryCount = (int)(message.Header?.DeliveryCount ?? 0) + (peeked ? 0 : 1),
            LockedUntil = Time(annotations, Annotations.LockedUntil),
            SequenceNumber = Number(annotations, Annotations.SequenceNumber),
            EnqueuedSequenceNumber = Number(annotations, Annotations.EnqueueSequenceNumber),
            EnqueuedTime = Time(annotations, Annotations.EnqueuedTime),
            State = (ServiceBusMessageState)(annotations.GetValueOrDefault(Annotations.State) as int? ?? 0),
            DeadLetterSource = annotations.GetValueOrDefault(Annotations.DeadLetterSource) as string,
            LockTokenGuid = lockToken,
        };
    }

    private static MessageHeader? Header(ServiceBusMessage message) => message.TimeToLive == TimeSpan.MaxValue
        ? null
        : new MessageHeader { Ttl = (uint)Math.Min(message.TimeToLive.TotalMilliseconds, uint.MaxValue) };

    private static Dictionary<Symbol, object?>? AnnotationsOf(ServiceBusMessage message)
    {
        if (message.ScheduledEnqueueTime == default && message.PartitionKey is null && message.TransactionPartitionKey is null)
            return null;
        var annotations = new Dictionary<Symbol, object?>();
        if (message.ScheduledEnqueueTime != default)
            annotations[Annotations.ScheduledEnqueueTime] = message.ScheduledEnqueueTime;
        if (message.PartitionKey is { } key)
            annotations[Annotations.PartitionKey] = key;
        if (message.TransactionPartitionKey is { } viaKey)
            annotations[Annotations.ViaPartitionKey] = viaKey;
        return annotations;
    }

    private static MessageProperties Properties(ServiceBusMessage message, TimeProvider time)
    {
        var properties = new MessageProperties
        {
            MessageId = message.MessageId,
            To = message.To,
            Subject = message.Subject,
            ReplyTo = message.ReplyTo,
            CorrelationId = message.CorrelationId,
            ContentType = message.ContentType is { } type ? new Symbol(type) : default(Symbol?),
            GroupId = message.SessionId,
            ReplyToGroupId = message.ReplyToSessionId,
        };
        if (message.TimeToLive != TimeSpan.MaxValue)
        {
            // The header's field ends at 49 days; the pair of times carries what is longer.
            var now = time.GetUtcNow();
            properties.CreationTime = now;
            properties.AbsoluteExpiryTime = message.TimeToLive < DateTimeOffset.MaxValue - now
                ? now + message.TimeToLive
                : DateTimeOffset.MaxValue;
        }

        return properties;
    }

    private static Dictionary<string, object?>? ApplicationProperties(ServiceBusMessage message)
    {
        if (message.ApplicationProperties.Count == 0)
            return null;
        var properties = new Dictionary<string, object?>(message.ApplicationProperties.Count);
        foreach (var (name, value) in message.ApplicationProperties)
            properties[name] = PropertyValues.ToAmqp(name, value);
        return properties;
    }

    private static BinaryData? Body(AmqpMessage message) => message.Data switch
    {
        null => null,
        [var only] => BinaryData.FromBytes(only),
        var sections => BinaryData.FromBytes(sections.SelectMany(section => section.ToArray()).ToArray()),
    };

    private static TimeSpan TimeToLive(MessageHeader? header, MessageProperties properties) =>
        properties is { CreationTime: { } creation, AbsoluteExpiryTime: { } expiry } && expiry > creation ? expiry - creation
        : header?.Ttl is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds)
        : TimeSpan.MaxValue;

    private static string? Text(object? id) => id is null ? null : Convert.ToString(id, CultureInfo.InvariantCulture);

    private static DateTimeOffset Time(Dictionary<Symbol, object?> annotations, string name) =>
        annotations.GetValueOrDefault(name) as DateTimeOffset? ?? default;

    private static long Number(Dictionary<Symbol, object?> annotations, string name) => annotations.GetValueOrDefault(name) as long? ?? 0;
}
