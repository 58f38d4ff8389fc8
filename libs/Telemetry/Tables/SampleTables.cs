namespace DroneDelivery.Telemetry.Tables;

/// <summary>What the lab samples itself because no SDK sends it: in Azure these are platform metrics, not telemetry of the application.</summary>
public static class SampleTables
{
    /// <summary>The broker's counters: incoming to expired count since its start, the rest are gauges.</summary>
    public static readonly TableSchema Queues = TableSchema.Parse("queueSamples",
        "timestamp:datetime, queue:string, incoming:long, outgoing:long, completed:long, abandoned:long, deadLettered:long, lockLost:long, "
        + "expiredLocks:long, redelivered:long, expired:long, active:long, locked:long, deferred:long, scheduled:long, deadLetter:long");

    /// <summary>CPU of each node, in percent of what it has.</summary>
    public static readonly TableSchema Nodes = TableSchema.Parse("nodeSamples", "timestamp:datetime, node:string, cpu:real");

    public static IReadOnlyList<TableSchema> All { get; } = [Queues, Nodes];
}
