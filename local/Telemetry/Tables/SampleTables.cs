namespace DroneDelivery.Telemetry.Tables;

/// <summary>What the lab samples itself because no SDK sends it: in Azure these are platform metrics, not the application's.</summary>
public static class SampleTables
{
    /// <summary>The broker's counters: incoming to expired count since its start, the rest are gauges.</summary>
    public static readonly TableSchema Queues = TableSchema.Parse(
        "queueSamples",
        "timestamp:datetime, queue:string, incoming:long, outgoing:long, completed:long, abandoned:long, deadLettered:long, lockLost:long, "
            + "expiredLocks:long, redelivered:long, expired:long, active:long, locked:long, deferred:long, scheduled:long, deadLetter:long"
    );

    /// <summary>Each receiver of a queue: the credit it has given, the messages it holds, and the most it ever held.</summary>
    public static readonly TableSchema Receivers = TableSchema.Parse(
        "receiverSamples",
        "timestamp:datetime, queue:string, connection:string, link:string, credit:long, unsettled:long, maxUnsettled:long"
    );

    /// <summary>CPU of each node, in percent of what it has.</summary>
    public static readonly TableSchema Nodes = TableSchema.Parse(
        "nodeSamples",
        "timestamp:datetime, node:string, cpu:real"
    );

    /// <summary>CPU that the requests and messages of each replica took of its node, in percent of one vCPU.</summary>
    public static readonly TableSchema Replicas = TableSchema.Parse(
        "replicaSamples",
        "timestamp:datetime, service:string, replica:string, cpu:real"
    );

    /// <summary>CPU of the machine that everything runs on, and the part of it that the lab itself used, in percent of all cores.</summary>
    public static readonly TableSchema Machine = TableSchema.Parse(
        "machineSamples",
        "timestamp:datetime, cpu:real, labCpu:real"
    );

    /// <summary>Memory in bytes (a maximum of 0 is no limit) and the number of keys.</summary>
    public static readonly TableSchema Redis = TableSchema.Parse(
        "redisSamples",
        "timestamp:datetime, usedMemory:long, maxMemory:long, keys:long"
    );

    /// <summary>The stages of a run: when each began and ended.</summary>
    public static readonly TableSchema Stages = TableSchema.Parse(
        "stages",
        "timestamp:datetime, stage:string, end:datetime"
    );

    /// <summary>Where the run's file lacks items because the disk refused them: from when to when, and how many.
    /// Only a file has such rows.</summary>
    public static readonly TableSchema Gaps = TableSchema.Parse("gaps", "timestamp:datetime, end:datetime, lines:long");

    public static IReadOnlyList<TableSchema> All { get; } =
    [Queues, Receivers, Nodes, Replicas, Machine, Redis, Stages, Gaps];
}
