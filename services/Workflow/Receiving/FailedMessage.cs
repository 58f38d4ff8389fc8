using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// A copy of a dead letter. Messages cannot be scheduled in a dead-letter queue, so a compensation that is retried waits in the queue
/// itself, as a marked copy, and is dead-lettered again when it is delivered.
/// </summary>
internal static class FailedMessage
{
    private const string Reason = "failureReason",
        Description = "failureDescription";

    /// <summary>Properties of the handling of the message. They would mislead the next handling.</summary>
    private static readonly string[] History =
    [
        Reason,
        Description,
        QueueMessage.RetriesProperty,
        Recoverability.FirstFailureAt,
    ];

    public static void Mark(ServiceBusMessage copy, ServiceBusReceivedMessage deadLetter)
    {
        copy.ApplicationProperties[Reason] = deadLetter.DeadLetterReason;
        copy.ApplicationProperties[Description] = deadLetter.DeadLetterErrorDescription ?? "";
        ClearTimeToLive(copy);
    }

    public static bool IsMarked(ServiceBusReceivedMessage message) => message.ApplicationProperties.ContainsKey(Reason);

    /// <exception cref="PermanentFailureException">The message is marked: it has failed before.</exception>
    public static void ThrowIfMarked(ServiceBusReceivedMessage message)
    {
        if (IsMarked(message))
        {
            throw new PermanentFailureException(
                $"{message.ApplicationProperties[Reason]}",
                $"{message.ApplicationProperties.GetValueOrDefault(Description)}"
            );
        }
    }

    /// <summary>As its producer sent it, except for the attempt: the services reject an attempt that has failed.</summary>
    public static ServiceBusMessage NextAttemptOf(ServiceBusReceivedMessage deadLetter)
    {
        var copy = new ServiceBusMessage(deadLetter);
        foreach (var property in History)
            copy.ApplicationProperties.Remove(property);
        if (RequestMessage.Find(deadLetter) is RequestMessage.Delivery(var identity, _))
            copy.ApplicationProperties[QueueMessage.AttemptProperty] = identity.Attempt + 1;
        ClearTimeToLive(copy);
        return copy;
    }

    /// <summary>
    /// Not what is left of the time in the other queue: an operator may come late. Without the fields the queue's own time counts.
    /// <c>TimeToLive</c> cannot say that, because the SDK sends 49.7 days for its largest value.
    /// </summary>
    private static void ClearTimeToLive(ServiceBusMessage copy)
    {
        var raw = copy.GetRawAmqpMessage();
        (raw.Header.TimeToLive, raw.Properties.CreationTime, raw.Properties.AbsoluteExpiryTime) = (null, null, null);
    }
}
