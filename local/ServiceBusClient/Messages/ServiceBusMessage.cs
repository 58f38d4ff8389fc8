using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Azure.Messaging.ServiceBus;

/// <summary>A message to send.</summary>
public class ServiceBusMessage
{
    private const int LongestId = 128;
    private string? _messageId;
    private string? _partitionKey;
    private string? _transactionPartitionKey;
    private string? _sessionId;
    private string? _replyToSessionId;
    private TimeSpan _timeToLive = TimeSpan.MaxValue;

    public ServiceBusMessage()
        : this(default(ReadOnlyMemory<byte>))
    {
    }

    /// <summary>The body is the text in UTF-8.</summary>
    public ServiceBusMessage(string body)
        : this(new BinaryData(body))
    {
    }

    public ServiceBusMessage(ReadOnlyMemory<byte> body)
        : this(BinaryData.FromBytes(body))
    {
    }

    public ServiceBusMessage(BinaryData body) => Body = body;

    /// <summary>A copy to send again, at once, without what the broker had stamped on it and without its trace context.</summary>
    public ServiceBusMessage(ServiceBusReceivedMessage receivedMessage)
    {
        ArgumentNullException.ThrowIfNull(receivedMessage);
        Body = receivedMessage.Body;
        _messageId = receivedMessage.MessageId;
        _partitionKey = receivedMessage.PartitionKey;
        _transactionPartitionKey = receivedMessage.TransactionPartitionKey;
        _sessionId = receivedMessage.SessionId;
        _replyToSessionId = receivedMessage.ReplyToSessionId;
        _timeToLive = receivedMessage.TimeToLive;
        CorrelationId = receivedMessage.CorrelationId;
        Subject = receivedMessage.Subject;
        To = receivedMessage.To;
        ContentType = receivedMessage.ContentType;
        ReplyTo = receivedMessage.ReplyTo;
        foreach (var (name, value) in receivedMessage.ApplicationProperties)
        {
            var isOfDeadLetter = name is ServiceBusReceivedMessage.DeadLetterReasonProperty
                or ServiceBusReceivedMessage.DeadLetterErrorDescriptionProperty;
            if (!isOfDeadLetter && !TraceContext.IsName(name))
                ApplicationProperties[name] = value;
        }
    }

    public BinaryData Body { get; set; }

    /// <summary>The application's own id of the message, 1 to 128 characters; the key of duplicate detection.</summary>
    [DisallowNull]
    public string? MessageId
    {
        get => _messageId;
        set
        {
            ArgumentException.ThrowIfNullOrEmpty(value, nameof(MessageId));
            _messageId = AtMost128(value);
        }
    }

    /// <summary>At most 128 characters.</summary>
    public string? PartitionKey { get => _partitionKey; set => _partitionKey = AtMost128(value); }

    /// <summary>At most 128 characters.</summary>
    public string? TransactionPartitionKey { get => _transactionPartitionKey; set => _transactionPartitionKey = AtMost128(value); }

    /// <summary>At most 128 characters.</summary>
    public string? SessionId { get => _sessionId; set => _sessionId = AtMost128(value); }

    /// <summary>At most 128 characters.</summary>
    public string? ReplyToSessionId { get => _replyToSessionId; set => _replyToSessionId = AtMost128(value); }

    /// <summary>How long the message is of use, from its arrival in the queue. Default: as long as the queue says.</summary>
    public TimeSpan TimeToLive
    {
        get => _timeToLive;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero, nameof(TimeToLive));
            _timeToLive = value;
        }
    }

    public string? CorrelationId { get; set; }

    public string? Subject { get; set; }

    public string? To { get; set; }

    public string? ContentType { get; set; }

    public string? ReplyTo { get; set; }

    /// <summary>When the message becomes visible to receivers; default: at once.</summary>
    public DateTimeOffset ScheduledEnqueueTime { get; set; }

    /// <summary>Values: null, bool, char, string, Guid, Uri, DateTime, DateTimeOffset, TimeSpan and the numbers.</summary>
    public IDictionary<string, object> ApplicationProperties { get; } = new Dictionary<string, object>();

    public override string ToString() => $"{{MessageId:{MessageId}}}";

    private static string? AtMost128(string? value, [CallerMemberName] string? property = null) =>
        value is { Length: > LongestId }
            ? throw new ArgumentException($"{property} has {value.Length} characters; at most {LongestId} are allowed.", property)
            : value;
}
