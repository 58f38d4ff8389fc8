using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Lab.Operations;

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
