using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>One figure of every queue. Attributes have the names of OpenTelemetry's conventions for messaging; those define metrics of
/// clients only, so the broker's own are in the same namespace and called by what they count.</summary>
/// <param name="Unit">Of UCUM.</param>
/// <param name="IsTotal">A total since the queue was created; else what there is now.</param>
internal sealed record QueueMetric(string Name, string Unit, string Help, bool IsTotal, Func<QueueCounts, long> Read)
{
    public const string System = "messaging.system", SystemName = "servicebus", Destination = "messaging.destination.name";

    private const string Disposition = "messaging.servicebus.disposition_status", State = "messaging.servicebus.message.state";

    /// <summary>One more attribute; null: none.</summary>
    public (string Name, string Value)? Tag { get; init; }

    public static IReadOnlyList<QueueMetric> All { get; } =
    [
        Total("messages.sent", "Messages accepted from senders", counts => counts.Incoming),
        Total("messages.delivered", "Deliveries to receivers, redeliveries included", counts => counts.Outgoing),
        Total("messages.redelivered", "Deliveries of a message whose delivery had failed before", counts => counts.Redelivered),
        Settled("complete", counts => counts.Completed),
        Settled("abandon", counts => counts.Abandoned),
        Settled("dead_letter", counts => counts.DeadLettered),
        Total("messages.expired", "Messages dropped at the end of their time to live", counts => counts.Expired),
        Total("messages.purged", "Messages removed by an operator", counts => counts.Purged),
        Total("messages.duplicate", "Messages dropped because their id was known", counts => counts.Duplicates),
        Total("locks.expired", "Locks that ended before their receiver settled", counts => counts.ExpiredLocks),
        Total("locks.lost", "Settlements and renewals after the lock was gone", counts => counts.LockLost),
        Held("active", counts => counts.Active),
        Held("locked", counts => counts.Locked),
        Held("deferred", counts => counts.Deferred),
        Held("scheduled", counts => counts.Scheduled),
        Held("dead_letter", counts => counts.DeadLetter),
        Held("transfer_dead_letter", counts => counts.TransferDeadLetter),
        new($"{Prefix}queue.size", "By", "Memory of the queue's messages", IsTotal: false, counts => counts.SizeInBytes),
    ];

    internal const string Prefix = "messaging.servicebus.";

    private static QueueMetric Total(string name, string help, Func<QueueCounts, long> read) =>
        new(Prefix + name, "{message}", help, IsTotal: true, read);

    private static QueueMetric Settled(string status, Func<QueueCounts, long> read) =>
        Total("messages.settled", "Messages by how they ended or came back", read) with { Tag = (Disposition, status) };

    private static QueueMetric Held(string state, Func<QueueCounts, long> read) =>
        new(Prefix + "queue.messages", "{message}", "Messages in the queue, by state", IsTotal: false, read) { Tag = (State, state) };
}
