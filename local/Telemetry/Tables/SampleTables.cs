namespace DroneDelivery.Telemetry.Tables;

/// <summary>Tables with samples that the lab takes, because no SDK sends them. In Azure, these are platform
/// metrics.</summary>
public static class SampleTables
{
    /// <summary>The broker's counters (from incoming to expired) and gauges.</summary>
    public static readonly TableSchema Queues = TableSchema.Parse(
        "queueSamples",
        "timestamp:datetime, queue:string, incoming:long, outgoing:long, completed:long, abandoned:long, deadLettered:long, lockLost:long, "
            + "expiredLocks:long, redelivered:long, expired:long, active:long, locked:long, deferred:long, scheduled:long, deadLetter:long"
    );

    /// <summary>The receivers of a queue, with their credit and their current and maximum numbers of
    /// messages.</summary>
    public static readonly TableSchema Receivers = TableSchema.Parse(
        "receiverSamples",
        "timestamp:datetime, queue:string, connection:string, link:string, credit:long, unsettled:long, maxUnsettled:long"
    );

    /// <summary>The CPU of each node, in percent of its capacity.</summary>
    public static readonly TableSchema Nodes = TableSchema.Parse(
        "nodeSamples",
        "timestamp:datetime, node:string, cpu:real"
    );

    /// <summary>The CPU used by requests and messages of each replica, in percent of one vCPU.</summary>
    public static readonly TableSchema Replicas = TableSchema.Parse(
        "replicaSamples",
        "timestamp:datetime, service:string, replica:string, cpu:real"
    );

    /// <summary>The CPU of the machine and of the lab, in percent of all cores.</summary>
    public static readonly TableSchema Machine = TableSchema.Parse(
        "machineSamples",
        "timestamp:datetime, cpu:real, labCpu:real"
    );

    /// <summary>The memory in bytes (a maximum of 0 means no limit), and the number of keys.</summary>
    public static readonly TableSchema Redis = TableSchema.Parse(
        "redisSamples",
        "timestamp:datetime, usedMemory:long, maxMemory:long, keys:long"
    );

    /// <summary>The start and end of each stage of a run.</summary>
    public static readonly TableSchema Stages = TableSchema.Parse(
        "stages",
        "timestamp:datetime, stage:string, end:datetime"
    );

    /// <summary>Gaps in the run's file where writing failed: start, end, and number of items. Only files contain such
    /// rows.</summary>
    public static readonly TableSchema Gaps = TableSchema.Parse("gaps", "timestamp:datetime, end:datetime, lines:long");

    public static IReadOnlyList<TableSchema> All { get; } =
    [Queues, Receivers, Nodes, Replicas, Machine, Redis, Stages, Gaps];
}
