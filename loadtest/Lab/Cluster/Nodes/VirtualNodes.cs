using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// The emulated machines of a cluster. Replicas on a node share its CPU. Start it before the services and stop it after them.
/// </summary>
internal sealed class VirtualNodes : IAsyncDisposable
{
    private readonly NodeClock _clock;
    private readonly Lock _lock = new();
    private readonly GateServer _server;
    private readonly Dictionary<string, GateReplica> _replicas = [];
    private readonly Dictionary<string, TimeSpan> _spentBy = [];
    private DeclaredNodes? _declared;
    private Node[] _nodes = [];
    private TimeSpan _placedAt;

    public VirtualNodes(TimeProvider clock)
    {
        _clock = new NodeClock(clock);
        _server = new GateServer(_clock, Welcome, Hold);
    }

    public string SocketPath => _server.SocketPath;

    public Placement? Placement { get; private set; }

    /// <summary>
    /// Places every replica on idle nodes. Call it before the replicas start, and when their number or the nodes change. Running replicas
    /// move to their new nodes; one that the placement omits keeps its node. Pending holds end as planned.
    /// </summary>
    public void Place(DeclaredNodes declared, Placement placement)
    {
        lock (_lock)
        {
            (_declared, Placement, _placedAt) = (declared, placement, _clock.Now);
            _nodes = [.. Enumerable.Range(0, placement.Nodes).Select(NewNode)];
            foreach (var replica in _replicas.Values)
                Settle(replica);
        }

        Node NewNode(int i) =>
            new(
                new(placement.Nodes, declared.VCpu, declared.System.JobMilliseconds, declared.System.EveryMilliseconds),
                _placedAt.Ticks,
                TimeSpan.FromMilliseconds(declared.System.EveryMilliseconds * i / placement.Nodes).Ticks
            );
    }

    /// <summary>Returns the configuration that assigns a replica to its node; empty for a service without CPU cost.</summary>
    public IReadOnlyDictionary<string, string> SettingsFor(Service service, int replica) =>
        _declared is null || !_declared.CpuMilliseconds.TryGetValue(service.Name, out var cost) || cost == 0
            ? new Dictionary<string, string>()
            : new Dictionary<string, string>
            {
                ["Emulation:CpuGate:Socket"] = SocketPath,
                ["Emulation:CpuGate:Replica"] = service.NameOf(replica),
                ["Emulation:CpuGate:CostMilliseconds"] = $"{cost}",
            };

    public NodeReading Read()
    {
        lock (_lock)
        {
            var now = _clock.Now;
            var (holds, lateHolds) = _server.Lateness.Count();
            return new(
                _clock.Origin + now,
                _clock.Origin + _placedAt,
                _declared?.VCpu ?? 0,
                [.. _nodes.Select(node => TimeSpan.FromTicks(node.SpentUntil(now.Ticks)))]
            )
            {
                Holds = holds,
                LateHolds = lateHolds,
            };
        }
    }

    public IReadOnlyDictionary<string, TimeSpan> ReadReplicas()
    {
        lock (_lock)
            return _spentBy.ToDictionary();
    }

    public Lateness ReadLateness() => _server.Lateness.Read();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private string? Welcome(GateReplica replica)
    {
        lock (_lock)
        {
            if (!Settle(replica))
                return $"it isn't placed on a node. Placed replicas: {string.Join(", ", Placement?.NodeOf.Keys ?? [])}.";
            _replicas[replica.Name] = replica; // replaces an exited replica of the same name
            return null;
        }
    }

    private bool Settle(GateReplica replica)
    {
        if (Placement?.NodeOf.TryGetValue(replica.Name, out var node) != true)
            return false;
        replica.Node = _nodes[node];
        return true;
    }

    // The time is read under the lock, because a node's times must not decrease.
    private TimeSpan Hold(GateReplica replica)
    {
        lock (_lock)
        {
            _spentBy[replica.Name] = _spentBy.GetValueOrDefault(replica.Name) + replica.Cost;
            return TimeSpan.FromTicks(replica.Node!.Hold(_clock.Now.Ticks, replica.Cost.Ticks));
        }
    }
}
