using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Nodes;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Forecasts;

/// <summary>What the formulas need of a stage's knobs and its environment. Milliseconds are CPU time of a node.</summary>
/// <param name="knobs">As they are applied.</param>
/// <param name="environment">Of the stage.</param>
/// <param name="profile">The load.</param>
/// <param name="seed">Of the placement.</param>
internal sealed class Setting(KnobSet knobs, DeclaredEnvironment environment, StepProfile profile, int seed)
{
    private const double DefaultPrefetch = 100, DefaultCalls = 20;

    /// <summary>The client returns credit in lots of two thirds of the prefetch, and of this many at most.</summary>
    private const double LargestLot = 100;

    private readonly DeclaredNodes? _nodes = environment.Nodes?.With(knobs);

    public StepProfile Profile => profile;

    public double Workflows => knobs.Number("workflow.replicas", 0);

    public double Calls => knobs.Number("workflow.maxConcurrentCalls", DefaultCalls);

    /// <summary>Messages of one Workflow's buffer; 0: none.</summary>
    public double Prefetch => knobs.Number("workflow.prefetchCount", DefaultPrefetch);

    /// <summary>Seconds.</summary>
    public double Lock => knobs.Number("queue.lockDuration", 60);

    /// <summary>Deliveries for which the cache has room.</summary>
    public double Room => knobs.Number("redis.deliveriesThatFit", 0) is > 0 and var fit ? fit : double.PositiveInfinity;

    /// <summary>Requests a second from so many users.</summary>
    public double Incoming(double users) => users * 1000 / profile.RequestEveryMilliseconds;

    /// <summary>Seconds from the moment at which a handler has a message until it is settled, when it waits for no CPU.</summary>
    public double MessageSeconds => (Mean("broker") + Cpu(Service.Workflow)
        + Service.Backends.Sum(service => Math.Max(Mean(service.Name), Cpu(service)))) / 1000;

    /// <summary>Handlers of one Workflow that have a message, in the mean: a buffer whose credit comes in lots may run empty.</summary>
    public double BusyCalls
    {
        get
        {
            if (Prefetch == 0)
                return Calls;
            var least = Prefetch - Math.Min(LargestLot, Prefetch * 2 / 3);
            if (least >= Calls)
                return Calls;
            var most = Math.Min(Calls, Prefetch);
            return (most * (Prefetch - most) + (most + least) / 2 * (most - least)) / (Prefetch - least);
        }
    }

    /// <summary>What the formulas cannot say anything about, in a sentence; null: nothing.</summary>
    public string? Gap =>
        _nodes is null || environment.Latency.Count == 0 ? "Without emulated latency and nodes the rates are those of this machine."
        : Room == double.PositiveInfinity && knobs.Number("redis.maxMemory", 0) > 0
            ? "How many deliveries fit into redis.maxMemory depends on their size and on Redis."
        : Calls > knobs.Number("http.concurrencyLimit", 100) ? "Calls beyond http.concurrencyLimit wait or are refused."
        : knobs.Number("http.attemptTimeout", 10) < LongestCall || knobs.Number("redis.operationTimeout", 2) < ShortestTimeOut
            ? "Calls may exceed their time-out."
        : knobs.Number("workflow.maxAutoLockRenewalDuration", 300) < LongestCall && Lock < 2 * LongestCall
            ? "A lock may expire while its handler runs."
        : Incoming(profile.MaxUsers) * BusiestIngestion > NearlyBusy ? "The nodes of Ingestion have not enough CPU for all requests."
        : null;

    private const double ShortestTimeOut = 0.2, NearlyBusy = 0.8;

    /// <summary>Seconds that a call may take when every handler waits for the same CPU.</summary>
    private double LongestCall => Math.Max(1, Workflows * Calls / Math.Max(1, Capacity(0)));

    /// <summary>Share of its free CPU that a request a second takes of the node that serves the most of them.</summary>
    private double BusiestIngestion => Enumerable.Range(0, Placement.Nodes).Max(node => Ingest(node) / Free);

    /// <summary>Messages a second that CPU and handlers allow, as long as messages wait.</summary>
    /// <param name="incoming">Requests a second, which take CPU too.</param>
    public double Rate(double incoming)
    {
        if (Workflows == 0)
            return 0;
        var byCpu = Capacity(incoming);
        var byCalls = Workflows * BusyCalls / MessageSeconds;
        // Handlers wait for CPU now and then long before all of it is used. The mean-value analysis says a little too little, because it
        // takes the CPU time of messages for random; the smaller of the limits says too much.
        return (Math.Min(byCpu, byCalls) + MeanValues(byCpu)) / 2;
    }

    /// <summary>CPU of the busiest node: percent.</summary>
    public double BusiestNode(double incoming, double completed) => 100 * Math.Min(1, Enumerable.Range(0, Placement.Nodes)
        .Max(node => (_nodes!.System.Servers + incoming * Ingest(node) + completed * Deliver(node)) / _nodes.VCpu));

    /// <summary>Messages a second until the first node is busy all the time.</summary>
    private double Capacity(double incoming) => Enumerable.Range(0, Placement.Nodes)
        .Min(node => Deliver(node) == 0 ? double.PositiveInfinity : Math.Max(0, Free - incoming * Ingest(node)) / Deliver(node));

    /// <summary>One Workflow as a closed network: handlers that are at the CPU of the node, or elsewhere.</summary>
    private double MeanValues(double capacity)
    {
        var calls = BusyCalls;
        if (double.IsInfinity(capacity) || capacity <= 0)
            return capacity <= 0 ? 0 : Workflows * calls / MessageSeconds;
        var atCpu = Workflows / capacity;
        var elsewhere = MessageSeconds - Math.Min(atCpu, Cpu(Service.Workflow) / 1000);
        double waiting = 0, rate = 0;
        for (var n = 1; n <= Math.Ceiling(calls); n++)
        {
            var customers = Math.Min(n, calls);
            var time = atCpu * (1 + waiting);
            rate = customers / (elsewhere + time);
            waiting = rate * time;
        }
        return Workflows * rate;
    }

    private Placement Placement => field ??= Placement.Of(_nodes!, knobs, before: null, seed);

    /// <summary>CPUs that the system leaves.</summary>
    private double Free => _nodes!.VCpu - _nodes.System.Servers;

    /// <summary>Seconds of a node's CPU for each request.</summary>
    private double Ingest(int node) => Seconds(node, [Service.Ingestion]);

    /// <summary>Seconds of a node's CPU for each delivery.</summary>
    private double Deliver(int node) => Seconds(node, Service.Backends.Prepend(Service.Workflow));

    private double Seconds(int node, IEnumerable<Service> services) =>
        services.Sum(service => Cpu(service) * ShareOn(node, service)) / 1000;

    private double ShareOn(int node, Service service) =>
        Placement.ReplicasOn(node).Count(service.Owns) / Math.Max(1, knobs.Number(service.ReplicasKnob, 1));

    private double Cpu(Service service) => _nodes!.CpuMilliseconds[service.Name];

    private double Mean(string process) => environment.Latency.TryGetValue(process, out var latency) ? latency.Mean : 0;
}
