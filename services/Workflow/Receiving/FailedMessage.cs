using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// Copies of dead letters. A dead-letter queue can't schedule messages, so a compensation is retried with a marked copy in the queue
/// itself, which is dead-lettered again when it is delivered.
/// </summary>
internal static class FailedMessage
{
    private const string Reason = "failureReason",
        Description = "failureDescription";

    /// <summary>Properties of the previous handling, which would mislead the next.</summary>
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

    /// <exception cref="PermanentFailureException">The message is marked.</exception>
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

    /// <summary>Returns a copy as its producer sent it, with the next attempt.</summary>
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

    /// <summary>Clears the time to live, so that the queue's default applies. <c>TimeToLive</c> can't express that.</summary>
    private static void ClearTimeToLive(ServiceBusMessage copy)
    {
        var raw = copy.GetRawAmqpMessage();
        (raw.Header.TimeToLive, raw.Properties.CreationTime, raw.Properties.AbsoluteExpiryTime) = (null, null, null);
    }
}
