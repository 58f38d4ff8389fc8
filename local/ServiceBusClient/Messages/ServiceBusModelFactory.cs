namespace Azure.Messaging.ServiceBus;

/// <summary>Makes what only a broker makes, for tests of code that handles messages.</summary>
public static class ServiceBusModelFactory
{
    public static ServiceBusReceivedMessage ServiceBusReceivedMessage(
        BinaryData? body = null,
        string? messageId = null,
        string? partitionKey = null,
        string? viaPartitionKey = null,
        string? sessionId = null,
        string? replyToSessionId = null,
        TimeSpan timeToLive = default,
        string? correlationId = null,
        string? subject = null,
        string? to = null,
        string? contentType = null,
        string? replyTo = null,
        DateTimeOffset scheduledEnqueueTime = default,
        IDictionary<string, object>? properties = null,
        Guid lockTokenGuid = default,
        int deliveryCount = 0,
        DateTimeOffset lockedUntil = default,
        long sequenceNumber = -1,
        string? deadLetterSource = null,
        long enqueuedSequenceNumber = 0,
        DateTimeOffset enqueuedTime = default,
        ServiceBusMessageState serviceBusMessageState = ServiceBusMessageState.Active) =>
        new(body ?? BinaryData.FromBytes(default(ReadOnlyMemory<byte>)))
        {
            MessageId = messageId,
            PartitionKey = partitionKey,
            TransactionPartitionKey = viaPartitionKey,
            SessionId = sessionId,
            ReplyToSessionId = replyToSessionId,
            TimeToLive = timeToLive == default ? TimeSpan.MaxValue : timeToLive,
            CorrelationId = correlationId,
            Subject = subject,
            To = to,
            ContentType = contentType,
            ReplyTo = replyTo,
            ScheduledEnqueueTime = scheduledEnqueueTime,
            ApplicationProperties = properties is null ? new Dictionary<string, object>() : new Dictionary<string, object>(properties),
            LockTokenGuid = lockTokenGuid,
            DeliveryCount = deliveryCount,
            LockedUntil = lockedUntil,
            SequenceNumber = sequenceNumber,
            DeadLetterSource = deadLetterSource,
            EnqueuedSequenceNumber = enqueuedSequenceNumber,
            EnqueuedTime = enqueuedTime,
            State = serviceBusMessageState,
        };
}
