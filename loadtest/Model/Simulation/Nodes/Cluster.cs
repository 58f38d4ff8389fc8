namespace DroneDelivery.Model.Simulation.Nodes;

/// <summary>The nodes, and which replica runs where.</summary>
internal sealed class Cluster
{
    private readonly NodeSetting _setting;
    private readonly Chance _chance;
    private readonly Node[] _nodes;

    public Cluster(Setting setting, Chance chance)
    {
        (_setting, _chance) = (setting.Nodes, chance);
        var every = Time.FromMilliseconds(_setting.SystemEveryMilliseconds);
        _nodes = new Node[_setting.Count];
        for (var i = 0; i < _nodes.Length; i++)
            _nodes[i] = new(_setting, start: 0, every * i / _nodes.Length);
        Ingestion = new(setting.Ingestion);
        Workflow = new(setting.Workflow);
        Backends = [.. setting.Backends.Select(backend => new Placed(backend))];
    }

    public Placed Ingestion { get; }

    public Placed Workflow { get; }

    public Placed[] Backends { get; }

    /// <returns>When the node of a replica has done the replica's work.</returns>
    public long Hold(Placed service, int replica, long now) =>
        service.Cpu is { } cpu
            ? _nodes[service.NodeOf[replica]].Hold(now, Time.FromMilliseconds(_chance.Next(cpu)))
            : now;

    /// <summary>Seconds for which all CPUs of a node were busy.</summary>
    public double Busy(int node, long now) => Time.Seconds(_nodes[node].SpentUntil(now)) / _setting.VCpu;

    /// <summary>The replicas of a service.</summary>
    internal sealed class Placed(ServiceSetting setting)
    {
        public int[] NodeOf { get; } = [.. setting.Nodes];

        public Times? Cpu { get; } = setting.Cpu is FixedTime { Milliseconds: 0 } ? null : setting.Cpu;

        public Times? Latency => setting.Latency;

        /// <summary>Replicas whose process is gone.</summary>
        public HashSet<int> Dead { get; } = [];

        /// <returns>The replica whose turn it is; callers leave one out that refuses connections. -1: all do.</returns>
        public int Next(int turn)
        {
            for (var i = 0; i < NodeOf.Length; i++)
            {
                var replica = (turn + i) % NodeOf.Length;
                if (Dead.Count == 0 || !Dead.Contains(replica))
                    return replica;
            }

            return -1;
        }
    }
}
