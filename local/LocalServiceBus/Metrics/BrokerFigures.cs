using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>What metrics show of a broker, at one moment.</summary>
/// <param name="Queues">Those that are shown one by one.</param>
/// <param name="NotShown">Queues beyond those.</param>
internal sealed record BrokerFigures(
    IReadOnlyList<(string Name, QueueCounts Counts)> Queues,
    int NotShown,
    int Connections,
    long Defects
)
{
    /// <summary>A namespace may have 10,000 queues, and each would be 17 time series. The oldest are shown, so that a new queue changes
    /// nothing of the others.</summary>
    public const int Most = 500;

    public static BrokerFigures Of(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        var all = entities.Sources.OrderBy(queue => queue.CreatedAt).ToList();
        return new(
            [.. all.Take(Most).Select(queue => (queue.Name, queue.Counts()))],
            Math.Max(0, all.Count - Most),
            frontEnd.ConnectionCount,
            entities.Defects.Count
        );
    }
}
