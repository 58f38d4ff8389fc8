using DroneDelivery.Lab.Stages;
using DroneDelivery.LabAgent.Gate;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// Whether the gates give the capacity that was declared, on this machine and at this moment. Made before a run, with nothing but the
/// gates: a copy of stage 5 in which callers do the holds of deliveries, and nothing else, as fast as they get them.
/// </summary>
/// <param name="Expected">Deliveries per second that the busiest node can give by arithmetic.</param>
/// <param name="Measured">Deliveries per second that came through the gates.</param>
/// <param name="CpuMicrosecondsPerHold">Real CPU time of a hold, both ends together.</param>
internal sealed record Calibration(double Expected, double Measured, Lateness Lateness, double CpuMicrosecondsPerHold)
{
    /// <summary>Share by which the capacity may differ.</summary>
    public const double Tolerance = 0.05;

    /// <summary>Something else that is busy for a second must not cost a run of minutes.</summary>
    private const int Measurements = 3;

    // Enough to keep a Workflow node busy while some of its deliveries are with the backends,
    // few enough to notice answers that are too late.
    private const int CallersPerWorkflow = 6;
    private static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(400),
        Length = TimeSpan.FromSeconds(2);

    /// <summary>Why a run after it is void; null when it is not.</summary>
    public string? WhyVoid =>
        Math.Abs(Measured / Expected - 1) <= Tolerance
            ? null
            : $"The virtual nodes gave {Measured:0.0} deliveries/s instead of {Expected:0.0} (±{Tolerance:P0}) before the run: "
                + "this machine is too busy to emulate them. Close other programs and run again.";

    /// <summary>Measures until it holds, three times at most.</summary>
    /// <param name="say">Told at once when it never held: what comes after it will not count.</param>
    public static async Task<Calibration> RepeatAsync(Func<Task<Calibration>> measure, Action<string> say)
    {
        var calibration = await measure();
        for (var i = 1; i < Measurements && calibration.WhyVoid is not null; i++)
            calibration = await measure();
        if (calibration.WhyVoid is { } reason)
            say($"{reason} The run goes on, and will be void.");
        return calibration;
    }

    /// <summary>Takes 2.4 s.</summary>
    /// <param name="declared">The nodes of the environment, without a stage's knobs. Not free of cost.</param>
    public static async Task<Calibration> RunAsync(
        DeclaredNodes declared,
        TimeProvider clock,
        CancellationToken cancellationToken
    )
    {
        var placement = Placement.Of(PlacementRule.RoundRobin, declared.Count, ReplicasOfStage5);
        await using var nodes = new VirtualNodes(clock);
        nodes.Place(declared, placement);
        await using var callers = new CalibrationCallers(
            nodes.SocketPath,
            declared,
            ReplicasOfStage5,
            CallersPerWorkflow
        );
        await Task.Delay(WarmUp, clock, cancellationToken);
        var before = (Time: clock.GetTimestamp(), Cpu: Environment.CpuUsage.TotalTime, callers.Work);
        await Task.Delay(Length, clock, cancellationToken);
        // The time is read first, and then last: whoever is interrupted in between counts too little, and never more than there was.
        var (work, cpu, seconds) = (
            callers.Work,
            Environment.CpuUsage.TotalTime - before.Cpu,
            clock.GetElapsedTime(before.Time).TotalSeconds
        );
        return new(
            CapacityOf(declared, placement),
            (work.Milliseconds - before.Work.Milliseconds) / CpuOfDelivery(declared) / seconds,
            nodes.ReadLateness(),
            cpu.TotalMicroseconds / Math.Max(1, work.Holds - before.Work.Holds)
        );
    }

    /// <summary>
    /// Deliveries per second until the first node is busy all the time: what a node has beside its system, over what a delivery takes of
    /// it. Requests to Ingestion not counted.
    /// </summary>
    public static double CapacityOf(DeclaredNodes declared, Placement placement) =>
        Enumerable
            .Range(0, placement.Nodes)
            .Min(node =>
                1_000
                * (declared.VCpu - declared.System.Servers)
                / OfDelivery.Sum(service => declared.CpuMilliseconds[service.Name] * ShareOn(node, service, placement))
            );

    /// <summary>A delivery: its message, then a call to each backend.</summary>
    private static IEnumerable<Service> OfDelivery => Service.Backends.Prepend(Service.Workflow);

    private static double CpuOfDelivery(DeclaredNodes declared) =>
        OfDelivery.Sum(service => declared.CpuMilliseconds[service.Name]);

    private static double ShareOn(int node, Service service, Placement placement)
    {
        var replicas = placement.NodeOf.Where(it => service.Owns(it.Key)).ToList();
        return replicas.Count(it => it.Value == node) / (double)replicas.Count;
    }

    private static int ReplicasOfStage5(Service service) => Service.Backends.Contains(service) ? 6 : 3;
}

/// <summary>
/// What stands in for the replicas of the services during the calibration: connections of their names, and deliveries that go round.
/// </summary>
internal sealed class CalibrationCallers : IAsyncDisposable
{
    private readonly Dictionary<Service, GateConnection[]> _replicas;
    private readonly DeclaredNodes _declared;
    private readonly Lock _lock = new();
    private readonly List<Task> _callers;
    private (double Milliseconds, long Holds) _work;
    private volatile bool _stopping;

    /// <param name="perWorkflow">Deliveries that each Workflow works on at a time.</param>
    public CalibrationCallers(string socket, DeclaredNodes declared, Func<Service, int> replicas, int perWorkflow)
    {
        _declared = declared;
        _replicas = Service
            .Backends.Append(Service.Workflow)
            .ToDictionary(
                service => service,
                service =>
                {
                    var cost = TimeSpan.FromMilliseconds(declared.CpuMilliseconds[service.Name]);
                    return Enumerable
                        .Range(0, replicas(service))
                        .Select(replica => GateConnection.Connect(socket, service.NameOf(replica), cost))
                        .ToArray();
                }
            );
        _callers = [.. Enumerable.Range(0, perWorkflow * _replicas[Service.Workflow].Length).Select(DeliverAsync)];
    }

    /// <summary>Virtual CPU time, and number, of the holds that are over. Counted in CPU time, because deliveries come in clumps.</summary>
    public (double Milliseconds, long Holds) Work
    {
        get
        {
            lock (_lock)
                return _work;
        }
    }

    /// <summary>Waits until the deliveries under way are done: fractions of a second.</summary>
    public async ValueTask DisposeAsync()
    {
        _stopping = true;
        await Task.WhenAll(_callers);
        foreach (var connection in _replicas.Values.SelectMany(connections => connections))
            await connection.DisposeAsync();
    }

    /// <summary>One delivery after the other, each at the same Workflow; its calls rotate over the replicas.</summary>
    private async Task DeliverAsync(int caller)
    {
        for (var call = caller; !_stopping; call++)
        {
            await HoldAsync(Service.Workflow, caller);
            foreach (var backend in Service.Backends)
                await HoldAsync(backend, call);
        }
    }

    private async Task HoldAsync(Service service, int call)
    {
        await _replicas[service][call % _replicas[service].Length].HoldAsync();
        lock (_lock)
            _work = (_work.Milliseconds + _declared.CpuMilliseconds[service.Name], _work.Holds + 1);
    }
}
