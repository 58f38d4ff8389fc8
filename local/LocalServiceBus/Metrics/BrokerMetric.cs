using System.Globalization;
using System.Text;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>One metric in the text format that Prometheus scrapes (version 0.0.4).</summary>
/// <param name="IsTotal"><c>true</c> for a total since the queue, or the broker, began; <c>false</c> for a current value.</param>
/// <param name="Read">The values, each with its labels.</param>
internal sealed record BrokerMetric(
    string Name,
    string Help,
    bool IsTotal,
    Func<BrokerCounts, IEnumerable<(string Labels, long Value)>> Read
)
{
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// <summary>The number of queues with metrics of their own: each has 17 time series, and there may be 10,000.</summary>
    public const int MaxQueues = 500;

    private const string Prefix = "messaging_servicebus_";

    private static readonly BrokerMetric[] All =
    [
        Total("messages_sent_total", "Messages accepted from senders", counts => counts.Incoming),
        Total("messages_delivered_total", "Deliveries to receivers, redeliveries included", counts => counts.Outgoing),
        Total("messages_redelivered_total", "Deliveries of a message whose delivery had failed before", counts =>
            counts.Redelivered
        ),
        new(
            $"{Prefix}messages_settled_total",
            "Messages by how they ended or came back",
            IsTotal: true,
            OfQueues(
                $",{Prefix}disposition_status",
                ("complete", counts => counts.Completed),
                ("abandon", counts => counts.Abandoned),
                ("dead_letter", counts => counts.DeadLettered)
            )
        ),
        Total("messages_expired_total", "Messages dropped at the end of their time to live", counts => counts.Expired),
        Total("messages_purged_total", "Messages removed by an operator", counts => counts.Purged),
        Total("messages_duplicate_total", "Messages dropped because their id was known", counts => counts.Duplicates),
        Total("locks_expired_total", "Locks that ended before their receiver settled", counts => counts.ExpiredLocks),
        Total("locks_lost_total", "Settlements and renewals after the lock was gone", counts => counts.LockLost),
        new(
            $"{Prefix}queue_messages",
            "Messages in the queue, by state",
            IsTotal: false,
            OfQueues(
                $",{Prefix}message_state",
                ("active", counts => counts.Active),
                ("locked", counts => counts.Locked),
                ("deferred", counts => counts.Deferred),
                ("scheduled", counts => counts.Scheduled),
                ("dead_letter", counts => counts.DeadLetter),
                ("transfer_dead_letter", counts => counts.TransferDeadLetter)
            )
        ),
        new(
            $"{Prefix}queue_size_bytes",
            "Memory of the queue's messages",
            IsTotal: false,
            OfQueues(null, ("", counts => counts.SizeInBytes))
        ),
        new($"{Prefix}connections", "Open AMQP connections", IsTotal: false, counts => [("", counts.Connections)]),
        new($"{Prefix}defects_total", "Exceptions in the broker itself", IsTotal: true, counts =>
            [("", counts.Defects)]
        ),
        new($"{Prefix}queues_not_shown", "Queues beyond those that are shown here", IsTotal: false, counts =>
            [("", counts.OtherQueues)]
        ),
        new(
            "dotnet_gc_heap_total_allocated_bytes_total",
            "Allocated by the process, garbage included",
            IsTotal: true,
            _ => [("", GC.GetTotalAllocatedBytes())]
        ),
    ];

    public static string Render(BrokerCounts counts)
    {
        var text = new StringBuilder();
        foreach (var metric in All)
        {
            text.Append(CultureInfo.InvariantCulture, $"# HELP {metric.Name} {metric.Help}.\n");
            text.Append(
                CultureInfo.InvariantCulture,
                $"# TYPE {metric.Name} {(metric.IsTotal ? "counter" : "gauge")}\n"
            );
            foreach (var (labels, value) in metric.Read(counts))
                text.Append(CultureInfo.InvariantCulture, $"{metric.Name}{labels} {value}\n");
        }
        return text.ToString();
    }

    private static BrokerMetric Total(string name, string help, Func<QueueCounts, long> read) =>
        new(Prefix + name, help, IsTotal: true, OfQueues(null, ("", read)));

    /// <param name="label">The label in which the values of one queue differ; <c>null</c> if there is one value.</param>
    private static Func<BrokerCounts, IEnumerable<(string Labels, long Value)>> OfQueues(
        string? label,
        params (string Label, Func<QueueCounts, long> Read)[] values
    ) =>
        counts =>
            from queue in counts.Queues
            from value in values
            let last = label is null ? "" : $"{label}=\"{value.Label}\""
            // The characters of a queue's name need no escape.
            select (
                $"{{messaging_system=\"servicebus\",messaging_destination_name=\"{queue.Key}\"{last}}}",
                value.Read(queue.Value)
            );
}
