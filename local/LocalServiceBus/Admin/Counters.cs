using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>The state of the whole broker at one moment: what <c>GET /$counters</c> answers.</summary>
/// <param name="Time">when it was read</param>
/// <param name="Connections">open AMQP connections</param>
/// <param name="Defects">exceptions in the broker itself since its start; anything but zero is worth a look into its log</param>
/// <param name="Queues">by name; a subscription's is TOPIC/Subscriptions/SUBSCRIPTION</param>
internal sealed record Counters(DateTimeOffset Time, int Connections, long Defects, IReadOnlyDictionary<string, QueueCounters> Queues)
{
    public static Counters Of(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        var links = frontEnd.Links();
        return new(
            entities.Time.GetUtcNow(),
            frontEnd.ConnectionCount,
            entities.Defects.Count,
            entities.Sources.ToDictionary(queue => queue.Name, queue => QueueCounters.Of(queue, [.. links[queue]])));
    }
}

/// <summary>Totals since the broker's start, up to <paramref name="Expired"/>; then what the queue holds now.
/// See <see cref="QueueCounts"/>.</summary>
internal sealed record QueueCounters(
    long Incoming,
    long Outgoing,
    long Completed,
    long Abandoned,
    long DeadLettered,
    long LockLost,
    long LateCompletes,
    long LateDeadLetters,
    long ExpiredLocks,
    long Redelivered,
    long Expired,
    long Active,
    long Locked,
    long Deferred,
    long Scheduled,
    long DeadLetter,
    long TransferDeadLetter,
    long ActiveMessageCount,
    bool Failed,
    IReadOnlyList<LinkState> Links)
{
    public static QueueCounters Of(Queue queue, IReadOnlyList<LinkState> links)
    {
        var counts = queue.Counts();
        return new(
            counts.Incoming,
            counts.Outgoing,
            counts.Completed,
            counts.Abandoned,
            counts.DeadLettered,
            counts.LockLost,
            counts.LateCompletes,
            counts.LateDeadLetters,
            counts.ExpiredLocks,
            counts.Redelivered,
            counts.Expired,
            counts.Active,
            counts.Locked,
            counts.Deferred,
            counts.Scheduled,
            counts.DeadLetter,
            counts.TransferDeadLetter,
            counts.ActiveMessageCount,
            queue.Failure is not null,
            links);
    }
}
