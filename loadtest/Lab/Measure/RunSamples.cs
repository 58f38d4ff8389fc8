using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Measure;

/// <summary>Writes the tables of a run that no service sends: samples, and the stages' times.</summary>
internal sealed class RunSamples(TelemetryStore store)
{
    private readonly SampleTable _queues = store.Define(SampleTables.Queues),
        _receivers = store.Define(SampleTables.Receivers);
    private readonly SampleTable _nodes = store.Define(SampleTables.Nodes),
        _machine = store.Define(SampleTables.Machine);
    private readonly SampleTable _replicas = store.Define(SampleTables.Replicas);
    private readonly SampleTable _redis = store.Define(SampleTables.Redis),
        _stages = store.Define(SampleTables.Stages);

    public void Stage(StageTimes stage) => _stages.Append(stage.Start, stage.Stage, stage.End);

    public void Node(DateTimeOffset time, string node, double cpu) => _nodes.Append(time, node, cpu);

    /// <param name="cpu">In percent of one vCPU.</param>
    public void Replica(DateTimeOffset time, string replica, double cpu) =>
        _replicas.Append(time, replica[..replica.LastIndexOf('-')], replica, cpu);

    /// <param name="cpu">In percent of all cores.</param>
    /// <param name="labCpu">The part of this process.</param>
    public void Machine(DateTimeOffset time, double cpu, double labCpu) => _machine.Append(time, cpu, labCpu);

    public void Redis(DateTimeOffset time, long usedMemory, long maxMemory, long keys) =>
        _redis.Append(time, usedMemory, maxMemory, keys);

    /// <summary>Adds counters of another source than the local broker. Unknown ones are empty.</summary>
    public void Queue(DateTimeOffset time, QueueCounters queue, Sources told)
    {
        object? If(Sources needs, long count) => told.HasFlag(needs) ? count : null;
        _queues.Append(
            time,
            BrokerCounters.QueueName,
            If(Sources.Rates, queue.Incoming),
            If(Sources.Deliveries, queue.Outgoing),
            If(Sources.Rates, queue.Completed),
            If(Sources.Deliveries, queue.Abandoned),
            queue.DeadLettered,
            If(Sources.Deliveries, queue.LockLost),
            If(Sources.Deliveries, queue.ExpiredLocks),
            If(Sources.Deliveries, queue.Redelivered),
            If(Sources.Deliveries, queue.Expired),
            queue.Active,
            queue.Locked,
            queue.Deferred,
            queue.Scheduled,
            queue.DeadLetter
        );
    }

    /// <summary>Adds the response of the broker's <c>GET /$counters</c>.</summary>
    public void Broker(JsonElement counters)
    {
        var time = counters.GetProperty("time").GetDateTimeOffset();
        foreach (var queue in counters.GetProperty("queues").EnumerateObject())
        {
            var counts = _queues
                .Schema.Columns.Skip(2)
                .Select(column => (object)queue.Value.GetProperty(column.Name).GetInt64());
            _queues.Append([time, queue.Name, .. counts]);
            foreach (var link in queue.Value.GetProperty("links").EnumerateArray())
            {
                _receivers.Append(
                    time,
                    queue.Name,
                    link.GetProperty("connection").ToString(),
                    link.GetProperty("link").ToString(),
                    link.GetProperty("credit").GetInt64(),
                    link.GetProperty("unsettled").GetInt64(),
                    link.GetProperty("maxUnsettled").GetInt64()
                );
            }
        }
    }
}
