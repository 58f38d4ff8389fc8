namespace Azure.Messaging.ServiceBus;

/// <summary>A message as the broker handed it out.</summary>
public class ServiceBusReceivedMessage
{
    internal const string DeadLetterReasonProperty = "DeadLetterReason";
    internal const string DeadLetterErrorDescriptionProperty = "DeadLetterErrorDescription";
    private static readonly Dictionary<string, object> NoProperties = [];
    private readonly BinaryData? _body;

    internal ServiceBusReceivedMessage(BinaryData? body) => _body = body;

    /// <exception cref="NotSupportedException">The sender put something else than bytes into the body.</exception>
    public BinaryData Body => _body ?? throw new NotSupportedException("The body of this message is an AMQP value or sequence, not bytes.");

    public string? MessageId { get; internal init; }

    public string? PartitionKey { get; internal init; }

    public string? TransactionPartitionKey { get; internal init; }

    public string? SessionId { get; internal init; }

    public string? ReplyToSessionId { get; internal init; }

    public TimeSpan TimeToLive { get; internal init; } = TimeSpan.MaxValue;

    public string? CorrelationId { get; internal init; }

    public string? Subject { get; internal init; }

    public string? To { get; internal init; }

    public string? ContentType { get; internal init; }

    public string? ReplyTo { get; internal init; }

    public DateTimeOffset ScheduledEnqueueTime { get; internal init; }

    public IReadOnlyDictionary<string, object> ApplicationProperties { get; internal init; } = NoProperties;

    /// <summary>The lock under which this delivery is settled; all zeros when there is none.</summary>
    public string LockToken => LockTokenGuid.ToString();

    /// <summary>1 for the first delivery; as stored (so 0 for a fresh message) when the message was peeked.</summary>
    public int DeliveryCount { get; internal init; }

    /// <summary>When the lock expires (UTC); renewals move it.</summary>
    public DateTimeOffset LockedUntil { get; internal set; }

    /// <summary>The message's place in the queue.</summary>
    public long SequenceNumber { get; internal init; }

    public long EnqueuedSequenceNumber { get; internal init; }

    public DateTimeOffset EnqueuedTime { get; internal init; }

    public DateTimeOffset ExpiresAt =>
        TimeToLive >= DateTimeOffset.MaxValue - EnqueuedTime ? DateTimeOffset.MaxValue : EnqueuedTime + TimeToLive;

    public ServiceBusMessageState State { get; internal init; }

    /// <summary>The queue that the message was in before it was dead-lettered.</summary>
    public string? DeadLetterSource { get; internal init; }

    public string? DeadLetterReason => ApplicationProperties.GetValueOrDefault(DeadLetterReasonProperty) as string;

    public string? DeadLetterErrorDescription => ApplicationProperties.GetValueOrDefault(DeadLetterErrorDescriptionProperty) as string;

    internal Guid LockTokenGuid { get; init; }

    /// <summary>Whether the holder of the message has settled it; the processor then leaves it alone.</summary>
    internal bool IsSettled { get; set; }

    public override string ToString() => $"{{MessageId:{MessageId}}}";
}
