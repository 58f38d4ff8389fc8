using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Measure;

/// <summary>
/// Writes the tables of a run that no service sends: samples of the broker, of nodes, of the machine, of Redis, and the stages' times.
/// </summary>
internal sealed class RunSamples(TelemetryStore store)
{
    private readonly SampleTable _queues = store.Define(SampleTables.Queues),
        _receivers = store.Define(SampleTables.Receivers);
    private readonly SampleTable _nodes = store.Define(SampleTables.Nodes),
        _machine = store.Define(SampleTables.Machine);
    private readonly SampleTable _replicas = store.Define(SampleTables.Replicas);
    private readonly SampleTable _redis = store.Define(SampleTables.Redis),
        _stages = store.Define(SampleTables.Stages);

    /// <summary>A stage that is over. Its start and end bound every query about it.</summary>
    public void Stage(StageTimes stage) => _stages.Append(stage.Start, stage.Stage, stage.End);

    public void Node(DateTimeOffset time, string node, double cpu) => _nodes.Append(time, node, cpu);

    /// <param name="replica"><c>workflow-0</c>.</param>
    /// <param name="cpu">What its requests and messages took of its node: percent of one vCPU.</param>
    public void Replica(DateTimeOffset time, string replica, double cpu) =>
        _replicas.Append(time, replica[..replica.LastIndexOf('-')], replica, cpu);

    /// <param name="cpu">Percent of all cores.</param>
    /// <param name="labCpu">Of that, this process.</param>
    public void Machine(DateTimeOffset time, double cpu, double labCpu) => _machine.Append(time, cpu, labCpu);

    /// <param name="maxMemory">Bytes; 0 is no limit.</param>
    public void Redis(DateTimeOffset time, long usedMemory, long maxMemory, long keys) =>
        _redis.Append(time, usedMemory, maxMemory, keys);

    /// <summary>The queue as others count it. What is not told stays empty.</summary>
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

    /// <summary>The answer of the broker's <c>GET /$counters</c>, whose properties are named as the columns.</summary>
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
