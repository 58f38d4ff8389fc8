namespace DroneDelivery.Model.Simulation.Nodes;

internal sealed class Cluster
{
    private readonly NodeSetting _setting;
    private readonly RandomSource _random;
    private readonly Node[] _nodes;

    public Cluster(Setting setting, RandomSource random)
    {
        (_setting, _random) = (setting.Nodes, random);
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

    /// <returns>When the replica's node has done the work.</returns>
    public long Hold(Placed service, int replica, long now) =>
        service.Cpu is { } cpu
            ? _nodes[service.NodeOf[replica]].Hold(now, Time.FromMilliseconds(_random.Next(cpu)))
            : now;

    public double Busy(int node, long now) => Time.Seconds(_nodes[node].SpentUntil(now)) / _setting.VCpu;

    internal sealed class Placed(ServiceSetting setting)
    {
        public int[] NodeOf { get; } = [.. setting.Nodes];

        public Times? Cpu { get; } = setting.Cpu is FixedTime { Milliseconds: 0 } ? null : setting.Cpu;

        public Times? Latency => setting.Latency;

        public HashSet<int> Dead { get; } = [];

        /// <returns>The next replica that accepts connections, or -1.</returns>
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
