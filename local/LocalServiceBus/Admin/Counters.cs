using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>The state of the whole broker at one moment: what <c>GET /$counters</c> answers.</summary>
/// <param name="Connections">open AMQP connections</param>
/// <param name="Defects">exceptions in the broker itself since its start; anything but zero is worth a look into its log</param>
/// <param name="Trouble">why the data folder cannot be written; null: it can, or there is none</param>
/// <param name="Queues">by name; a subscription's is TOPIC/Subscriptions/SUBSCRIPTION</param>
/// <param name="Topics">by name</param>
internal sealed record Counters(
    DateTimeOffset Time,
    int Connections,
    long Defects,
    string? Trouble,
    IReadOnlyDictionary<string, QueueCounters> Queues,
    IReadOnlyList<string> Topics
)
{
    public static Counters Of(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        var links = frontEnd.Links();
        return new(
            entities.Time.GetUtcNow(),
            frontEnd.ConnectionCount,
            entities.Defects.Count,
            entities.Journal.Trouble,
            entities.Sources.ToDictionary(queue => queue.Name, queue => new QueueCounters(queue, [.. links[queue]])),
            [.. entities.Topics.Select(topic => topic.Name)]
        );
    }
}

/// <summary>See <see cref="QueueCounts"/>.</summary>
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
