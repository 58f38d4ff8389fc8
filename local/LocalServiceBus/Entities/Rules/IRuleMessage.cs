namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>A message as filters read it and actions change it. Names are case-insensitive where Service Bus defines
/// them so.</summary>
internal interface IRuleMessage
{
    /// <summary>Returns a system property such as MessageId; <c>null</c> if it has no value.</summary>
    object? System(string name);

    bool TryGet(string name, out object? value);

    void SetSystem(string name, object? value);

    /// <summary>Sets an application property to a <see cref="SqlValue"/>; <c>null</c> removes it.</summary>
    void Set(string name, object? value);

    MessageContent ToContent();
}

internal interface IRuleMessageReader
{
    IRuleMessage Read(QueuedMessage message);

    MessageContent WithIds(MessageContent content);
}

/// <summary>The names after <c>sys.</c></summary>
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

    public static string? Find(string name) =>
        name.Equals("Subject", StringComparison.OrdinalIgnoreCase)
            ? Label
            : Names.FirstOrDefault(known => known.Equals(name, StringComparison.OrdinalIgnoreCase));
}
