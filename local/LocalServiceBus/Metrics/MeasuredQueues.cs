using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>The queues that metrics show one by one.</summary>
internal static class MeasuredQueues
{
    /// <summary>A namespace may have 10,000 queues, and each would be 17 time series. The oldest are shown, so that a new queue changes
    /// nothing of the others.</summary>
    public const int Most = 500;

    public static IEnumerable<(string Name, QueueCounts Counts)> Of(ServiceBusNamespace entities) => entities.Sources
        .OrderBy(queue => queue.CreatedAt)
        .Take(Most)
        .Select(queue => (queue.Name, queue.Counts()));
}
