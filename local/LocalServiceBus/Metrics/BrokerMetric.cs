using System.Diagnostics.Metrics;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>One metric. Attributes have the names of OpenTelemetry's conventions for messaging; those define metrics of clients only, so
/// the broker's own are in the same namespace and called by what they count.</summary>
/// <param name="Unit">Of UCUM.</param>
/// <param name="IsTotal">A total since the queue, or the broker, began; else what there is now.</param>
internal sealed record BrokerMetric(
    string Name,
    string Unit,
    string Help,
    bool IsTotal,
    Func<BrokerCounts, IEnumerable<Measurement<long>>> Read
)
{
    /// <summary>The number of queues with metrics of their own: each has 17 time series, and there may be 10,000.</summary>
    public const int MaxQueues = 500;

    private const string Prefix = "messaging.servicebus.",
        Message = "{message}";

    public static IReadOnlyList<BrokerMetric> All { get; } =
    [
        Total("messages.sent", "Messages accepted from senders", counts => counts.Incoming),
        Total("messages.delivered", "Deliveries to receivers, redeliveries included", counts => counts.Outgoing),
        Total("messages.redelivered", "Deliveries of a message whose delivery had failed before", counts =>
            counts.Redelivered
        ),
        new(
            $"{Prefix}messages.settled",
            Message,
            "Messages by how they ended or came back",
            IsTotal: true,
            OfQueues(
                "messaging.servicebus.disposition_status",
                ("complete", counts => counts.Completed),
                ("abandon", counts => counts.Abandoned),
                ("dead_letter", counts => counts.DeadLettered)
            )
        ),
        Total("messages.expired", "Messages dropped at the end of their time to live", counts => counts.Expired),
        Total("messages.purged", "Messages removed by an operator", counts => counts.Purged),
        Total("messages.duplicate", "Messages dropped because their id was known", counts => counts.Duplicates),
        Total("locks.expired", "Locks that ended before their receiver settled", counts => counts.ExpiredLocks),
        Total("locks.lost", "Settlements and renewals after the lock was gone", counts => counts.LockLost),
        new(
            $"{Prefix}queue.messages",
            Message,
            "Messages in the queue, by state",
            IsTotal: false,
            OfQueues(
                "messaging.servicebus.message.state",
                ("active", counts => counts.Active),
                ("locked", counts => counts.Locked),
                ("deferred", counts => counts.Deferred),
                ("scheduled", counts => counts.Scheduled),
                ("dead_letter", counts => counts.DeadLetter),
                ("transfer_dead_letter", counts => counts.TransferDeadLetter)
            )
        ),
        new(
            $"{Prefix}queue.size",
            "By",
            "Memory of the queue's messages",
            IsTotal: false,
            OfQueues(null, ("", counts => counts.SizeInBytes))
        ),
        new($"{Prefix}connections", "{connection}", "Open AMQP connections", IsTotal: false, counts =>
            [new(counts.Connections)]
        ),
        new($"{Prefix}defects", "{defect}", "Exceptions in the broker itself", IsTotal: true, counts =>
            [new(counts.Defects)]
        ),
        new($"{Prefix}queues.not_shown", "{queue}", "Queues beyond those that are shown here", IsTotal: false, counts =>
            [new(counts.OtherQueues)]
        ),
    ];

    private static BrokerMetric Total(string name, string help, Func<QueueCounts, long> read) =>
        new(Prefix + name, Message, help, IsTotal: true, OfQueues(null, ("", read)));

    /// <param name="tag">Attribute in which the values of one queue differ; null: there is one value.</param>
    private static Func<BrokerCounts, IEnumerable<Measurement<long>>> OfQueues(
        string? tag,
        params (string Tag, Func<QueueCounts, long> Read)[] values
    ) =>
        counts =>
            counts.Queues.SelectMany(queue =>
                values.Select(value => new Measurement<long>(
                    value.Read(queue.Value),
                    [
                        new("messaging.system", "servicebus"),
                        new("messaging.destination.name", queue.Key),
                        .. tag is null ? [] : new KeyValuePair<string, object?>[] { new(tag, value.Tag) },
                    ]
                ))
            );
}
