using System.Globalization;
using System.Text;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>A metric in the Prometheus text format (version 0.0.4).</summary>
/// <param name="IsTotal"><c>true</c> for a counter; <c>false</c> for a gauge.</param>
/// <param name="Read">Returns the values, each with its labels.</param>
internal sealed record BrokerMetric(
    string Name,
    string Help,
    bool IsTotal,
    Func<BrokerCounts, IEnumerable<(string Labels, long Value)>> Read
)
{
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// <summary>Each queue has 17 time series, and a broker can have 10,000 queues.</summary>
    public const int MaxQueues = 500;

    private const string Prefix = "messaging_servicebus_";

    private static readonly BrokerMetric[] All =
    [
        Total("messages_sent_total", "Messages accepted from senders", counts => counts.Incoming),
        Total("messages_delivered_total", "Deliveries to receivers, redeliveries included", counts => counts.Outgoing),
        Total("messages_redelivered_total", "Deliveries of messages after a failed delivery", counts =>
            counts.Redelivered
        ),
        new(
            $"{Prefix}messages_settled_total",
            "Messages settled, by outcome",
            IsTotal: true,
            OfQueues(
                $",{Prefix}disposition_status",
                ("complete", counts => counts.Completed),
                ("abandon", counts => counts.Abandoned),
                ("dead_letter", counts => counts.DeadLettered)
            )
        ),
        Total("messages_expired_total", "Messages dropped because their time to live ended", counts => counts.Expired),
        Total("messages_purged_total", "Messages removed by an operator", counts => counts.Purged),
        Total("messages_duplicate_total", "Messages dropped by duplicate detection", counts => counts.Duplicates),
        Total("locks_expired_total", "Locks that expired before settlement", counts => counts.ExpiredLocks),
        Total("locks_lost_total", "Settlements and renewals after the lock expired", counts => counts.LockLost),
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
            "Memory used by the queue's messages",
            IsTotal: false,
            OfQueues(null, ("", counts => counts.SizeInBytes))
        ),
        new($"{Prefix}connections", "Open AMQP connections", IsTotal: false, counts => [("", counts.Connections)]),
        new($"{Prefix}defects_total", "Internal errors of the broker", IsTotal: true, counts => [("", counts.Defects)]),
        new(
            $"{Prefix}queues_not_shown",
            "Queues omitted from these metrics because of the limit",
            IsTotal: false,
            counts => [("", counts.OtherQueues)]
        ),
        new(
            "dotnet_gc_heap_total_allocated_bytes_total",
            "Bytes that the process has allocated, including garbage",
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

    /// <param name="label">The label that distinguishes the values of one queue; <c>null</c> for a single
    /// value.</param>
    private static Func<BrokerCounts, IEnumerable<(string Labels, long Value)>> OfQueues(
        string? label,
        params (string Label, Func<QueueCounts, long> Read)[] values
    ) =>
        counts =>
            from queue in counts.Queues
            from value in values
            let last = label is null ? "" : $"{label}=\"{value.Label}\""
            // Queue names contain no characters that need escaping.
            select (
                $"{{messaging_system=\"servicebus\",messaging_destination_name=\"{queue.Key}\"{last}}}",
                value.Read(queue.Value)
            );
}
