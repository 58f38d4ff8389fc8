using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Operations;

/// <summary>The message that asks for the same once more.</summary>
internal static class ReplayMessage
{
    private const char Separator = '~';
    private const int LongestId = 128;

    /// <summary>What the broker or Workflow wrote down when the message failed. Compared without case: SDKs and brokers differ.</summary>
    private static readonly HashSet<string> Obituary = new(StringComparer.OrdinalIgnoreCase)
    {
        DeadLetter.ReasonProperty, DeadLetter.DescriptionProperty, DeadLetter.FailedAtProperty,
        "DeadLetterErrorDescription", "lastFailure", "lastFailureAt", "failures", "problemType", "problemDetail", "endFailures",
        QueueMessage.PostponedProperty, // or a cancel that had waited for a day would not wait again
    };

    public static ServiceBusMessage Of(ServiceBusReceivedMessage dead, DeadLetterPlace place)
    {
        var message = new ServiceBusMessage(dead)
        {
            MessageId = IdOf(dead, place),
            CorrelationId = dead.CorrelationId ?? dead.MessageId,
        };
        foreach (var property in message.ApplicationProperties.Keys.Where(Obituary.Contains).ToList())
            message.ApplicationProperties.Remove(property);
        message.ApplicationProperties[QueueMessage.AttemptProperty] = AttemptOf(dead) + 1;
        return message;
    }

    public static int AttemptOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.AttemptProperty) switch
        {
            int attempt => attempt,
            long attempt => (int)attempt,
            _ => 0,
        };

    /// <summary>
    /// Another id than the dead letter's, which duplicate detection would drop, and the same one whenever this dead letter is sent: if it
    /// could not be completed after the first time, the second is dropped.
    /// </summary>
    private static string IdOf(ServiceBusReceivedMessage dead, DeadLetterPlace place)
    {
        var first = (dead.MessageId ?? "").Split($"{Separator}{Separator}")[0];
        var id = $"{first}{Separator}{Separator}{place.Tag}-{dead.SequenceNumber}";
        return id.Length <= LongestId ? id : id[^LongestId..];
    }
}
