using System.Globalization;
using System.Text.Json.Serialization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Operations;

/// <summary>A message that nobody handles any more.</summary>
/// <param name="Operation">Delivery, cancel or reschedule; null: the message does not say.</param>
/// <param name="Reason">Why it is a dead letter, in a word.</param>
/// <param name="Since">When the request failed, or when the broker took the message.</param>
/// <param name="Deliveries">How often it was handed out, also to this command.</param>
/// <param name="Attempt">How often an operator has sent it again.</param>
internal sealed record DeadLetter(
    string Id,
    string? DeliveryId,
    string? Operation,
    string Reason,
    string Description,
    DateTimeOffset Since,
    int Deliveries,
    int Attempt,
    [property: JsonIgnore] DeadLetterPlace Origin,
    long SequenceNumber
)
{
    /// <summary>Application properties that Workflow gives to the copy of a failed request.</summary>
    internal const string ReasonProperty = "deadLetterReason",
        DescriptionProperty = "deadLetterDescription",
        FailedAtProperty = "failedAt";

    /// <summary>The queue that it lies in.</summary>
    public string Place => Origin.Path;

    public static DeadLetter Of(ServiceBusReceivedMessage message, DeadLetterPlace origin) =>
        new(
            message.MessageId ?? "",
            message.CorrelationId,
            Text(message, QueueMessage.OperationProperty),
            // In this order: the dead-letter queue of the failed requests says only that they were handed out too often.
            Text(message, ReasonProperty) ?? message.DeadLetterReason ?? "",
            Text(message, DescriptionProperty) ?? message.DeadLetterErrorDescription ?? "",
            FailedAt(message) ?? message.EnqueuedTime,
            message.DeliveryCount,
            ReplayMessage.AttemptOf(message),
            origin,
            message.SequenceNumber
        );

    private static string? Text(ServiceBusReceivedMessage message, string property) =>
        message.ApplicationProperties.GetValueOrDefault(property)?.ToString();

    private static DateTimeOffset? FailedAt(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(FailedAtProperty) switch
        {
            DateTimeOffset time => time,
            DateTime time => new DateTimeOffset(time.ToUniversalTime()),
            string text when DateTimeOffset.TryParse(text, null, DateTimeStyles.AssumeUniversal, out var time) => time,
            _ => null,
        };
}

/// <summary>A queue, or a dead-letter queue, in which dead letters lie.</summary>
/// <param name="Tag">Part of the message ids of replays from here.</param>
internal sealed record DeadLetterPlace(string Queue, SubQueue Part, string Tag)
{
    /// <summary>As people and connection tools write it.</summary>
    public string Path => Part == SubQueue.DeadLetter ? $"{Queue}/$DeadLetterQueue" : Queue;

    public ServiceBusReceiverOptions Receiver => new() { SubQueue = Part };

    /// <summary>The third has requests that were handed out too often, because somebody looked for one behind them.</summary>
    public static IReadOnlyList<DeadLetterPlace> All(string queue, string failedQueue) =>
        [
            new(queue, SubQueue.DeadLetter, "dead"),
            new(failedQueue, SubQueue.None, "failed"),
            new(failedQueue, SubQueue.DeadLetter, "failed-dead"),
        ];
}
