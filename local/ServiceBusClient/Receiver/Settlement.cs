using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One call's wish how a message is settled, in both ways to say it: a link's outcome or the <c>disposition-status</c>
/// of <c>$management</c>.
/// </summary>
internal sealed record Settlement(string Status, DeliveryState Outcome)
{
    private static readonly Symbol DeadLetterCondition = "com.microsoft:dead-letter";


    public IDictionary<string, object>? Properties { get; private init; }

    public string? DeadLetterReason { get; private init; }

    public string? DeadLetterDescription { get; private init; }

    public static Settlement Complete() => new("completed", Accepted.Instance);

    public static Settlement Abandon(IDictionary<string, object>? properties) =>
        new("abandoned", new Modified(MessageAnnotations: PropertyValues.ToAmqp(properties))) { Properties = properties };

    // "defered" is how the protocol spells it.
    public static Settlement Defer(IDictionary<string, object>? properties) =>
        new("defered", new Modified(UndeliverableHere: true, MessageAnnotations: PropertyValues.ToAmqp(properties)))
        {
            Properties = properties,
        };

    public static Settlement DeadLetter(string? reason, string? description, IDictionary<string, object>? properties)
    {
        var info = PropertyValues.ToAmqp(properties) ?? [];
        if (reason is not null)
            info[ServiceBusReceivedMessage.DeadLetterReasonProperty] = reason;
        if (description is not null)
            info[ServiceBusReceivedMessage.DeadLetterErrorDescriptionProperty] = description;
        return new("suspended", new Rejected(new AmqpError(DeadLetterCondition, Info: info)))
        {
            Properties = properties,
            DeadLetterReason = reason,
            DeadLetterDescription = description,
        };
    }
}
