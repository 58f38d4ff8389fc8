namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>What filters see of a message and actions change in it. Names compare case-insensitively where the service's do.</summary>
internal interface IRuleMessage
{
    /// <summary>A property of the broker's or of the message's own, such as MessageId; null: it has no value.</summary>
    /// <param name="name">One of <see cref="SystemProperty.Names"/>.</param>
    object? System(string name);

    /// <summary>A property that the application gave.</summary>
    bool TryGet(string name, out object? value);

    void SetSystem(string name, object? value);

    /// <summary>The value is one of <see cref="SqlValue"/>; null removes the property.</summary>
    void Set(string name, object? value);

    /// <summary>With all changes.</summary>
    MessageContent ToContent();
}

/// <summary>Reads what rules need, and only if there are rules that need it.</summary>
internal interface IRuleMessageReader
{
    IRuleMessage Read(QueuedMessage message);

    /// <summary>The same message with its ids, for an entity that needs them.</summary>
    MessageContent WithIds(MessageContent content);
}

/// <summary>The names behind <c>sys.</c></summary>
internal static class SystemProperty
{
    public const string MessageId = "MessageId",
        CorrelationId = "CorrelationId",
        Label = "Label",
        To = "To",
        ReplyTo = "ReplyTo",
        SessionId = "SessionId",
        ReplyToSessionId = "ReplyToSessionId",
        ContentType = "ContentType",
        TimeToLive = "TimeToLive",
        SequenceNumber = "SequenceNumber",
        EnqueuedSequenceNumber = "EnqueuedSequenceNumber",
        EnqueuedTimeUtc = "EnqueuedTimeUtc",
        Size = "Size",
        DeliveryCount = "DeliveryCount",
        ExpiresAtUtc = "ExpiresAtUtc",
        ScheduledEnqueueTimeUtc = "ScheduledEnqueueTimeUtc",
        DeadLetterSource = "DeadLetterSource";

    /// <summary>Those that an action may set.</summary>
    public static readonly IReadOnlyList<string> Settable =
    [
        MessageId,
        CorrelationId,
        Label,
        To,
        ReplyTo,
        SessionId,
        ReplyToSessionId,
        ContentType,
    ];

    public static readonly IReadOnlyList<string> Names =
    [
        .. Settable,
        TimeToLive,
        SequenceNumber,
        EnqueuedSequenceNumber,
        EnqueuedTimeUtc,
        Size,
        DeliveryCount,
        ExpiresAtUtc,
        ScheduledEnqueueTimeUtc,
        DeadLetterSource,
    ];

    /// <returns>Null: there is none of that name.</returns>
    public static string? Find(string name) =>
        name.Equals("Subject", StringComparison.OrdinalIgnoreCase)
            ? Label
            : Names.FirstOrDefault(known => known.Equals(name, StringComparison.OrdinalIgnoreCase));
}
