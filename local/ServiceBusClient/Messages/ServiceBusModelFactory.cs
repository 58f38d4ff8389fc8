namespace Azure.Messaging.ServiceBus;

/// <summary>Makes what only a broker makes, for tests of code that handles messages or looks at entities.</summary>
public static partial class ServiceBusModelFactory
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

    public static ServiceBusReceivedMessage ServiceBusReceivedMessage(
        BinaryData? body,
        string? messageId,
        string? partitionKey,
        string? viaPartitionKey,
        string? sessionId,
        string? replyToSessionId,
        TimeSpan timeToLive,
        string? correlationId,
        string? subject,
        string? to,
        string? contentType,
        string? replyTo,
        DateTimeOffset scheduledEnqueueTime,
        IDictionary<string, object>? properties,
        Guid lockTokenGuid,
        int deliveryCount,
        DateTimeOffset lockedUntil,
        long sequenceNumber,
        string? deadLetterSource,
        long enqueuedSequenceNumber,
        DateTimeOffset enqueuedTime) =>
        ServiceBusReceivedMessage(
            body,
            messageId,
            partitionKey,
            viaPartitionKey,
            sessionId,
            replyToSessionId,
            timeToLive,
            correlationId,
            subject,
            to,
            contentType,
            replyTo,
            scheduledEnqueueTime,
            properties,
            lockTokenGuid,
            deliveryCount,
            lockedUntil,
            sequenceNumber,
            deadLetterSource,
            enqueuedSequenceNumber,
            enqueuedTime,
            ServiceBusMessageState.Active);

    /// <param name="batchSizeBytes">The batch's size, whatever is added.</param>
    /// <param name="batchMessageStore">Gets the messages.</param>
    /// <param name="batchOptions">Largest size.</param>
    /// <param name="tryAddCallback">Decides which messages fit; null: all.</param>
    public static ServiceBusMessageBatch ServiceBusMessageBatch(
        long batchSizeBytes,
        IList<ServiceBusMessage> batchMessageStore,
        CreateMessageBatchOptions? batchOptions = null,
        Func<ServiceBusMessage, bool>? tryAddCallback = null)
    {
        ArgumentNullException.ThrowIfNull(batchMessageStore);
        return new(batchSizeBytes, batchOptions?.MaxSizeInBytes ?? long.MaxValue, batchMessageStore, tryAddCallback);
    }
}
