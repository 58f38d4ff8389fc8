using System.Text.Json.Serialization;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>A snapshot of the broker, rendered by <c>/$counters</c> and <c>/metrics</c>.</summary>
/// <param name="Defects">Internal errors since the broker started; see its log.</param>
/// <param name="Trouble">The reason why the data folder can't be written; <c>null</c> if it can, or if there is
/// none.</param>
/// <param name="Queues">The queues and subscriptions (TOPIC/Subscriptions/SUBSCRIPTION) by name.</param>
internal sealed record BrokerCounts(
    DateTimeOffset Time,
    int Connections,
    long Defects,
    string? Trouble,
    IReadOnlyDictionary<string, QueueCounters> Queues,
    IReadOnlyList<string> Topics
)
{
    [JsonIgnore]
    public int OtherQueues { get; private init; }

    /// <param name="limit">The maximum number of queues. The oldest are included, so that new queues don't displace
    /// them.</param>
    public static BrokerCounts Of(ServiceBusNamespace entities, AmqpFrontEnd frontEnd, int limit = int.MaxValue)
    {
        var all = entities.Sources.ToList();
        var queues = all.Count <= limit ? all : all.OrderBy(queue => queue.CreatedAt).Take(limit);
        var links = frontEnd.Links();
        return new(
            entities.Time.GetUtcNow(),
            frontEnd.ConnectionCount,
            entities.Defects.Count,
            entities.Journal.WriteError,
            queues.ToDictionary(queue => queue.Name, queue => new QueueCounters(queue, [.. links[queue]])),
            [.. entities.Topics.Select(topic => topic.Name)]
        )
        {
            OtherQueues = Math.Max(0, all.Count - limit),
        };
    }
}

internal sealed record QueueCounters : QueueCounts
{
    public QueueCounters(Queue queue, IReadOnlyList<LinkState> links)
        : base(queue.Counts()) =>
        (Failed, Status, ForwardTo, Links) = (
            queue.Failure is not null,
            queue.Options.Status.ToString(),
            queue.Options.ForwardTo,
            links
        );

    public bool Failed { get; }

    public string Status { get; }

    public string? ForwardTo { get; }

    public IReadOnlyList<LinkState> Links { get; }
}
