using DroneDelivery.Lab.Stages;
using DroneDelivery.LabAgent.Gate;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// Measures whether this machine can emulate the declared CPU capacity now, by making the holds of stage 5 at the maximum rate.
/// </summary>
/// <param name="Expected">The calculated rate, in deliveries per second.</param>
/// <param name="CpuMicrosecondsPerHold">The real CPU time of a hold, both ends together.</param>
internal sealed record Calibration(double Expected, double Measured, Lateness Lateness, double CpuMicrosecondsPerHold)
{
    public const double Tolerance = 0.05;

    /// <summary>More than one, so a short disturbance doesn't cost a run of minutes.</summary>
    private const int Measurements = 3;

    // Enough to keep a Workflow node busy while others call back ends, and few enough for late responses to lower the rate.
    private const int CallersPerWorkflow = 6;
    private static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(400),
        Length = TimeSpan.FromSeconds(2);

    public string? WhyVoid =>
        Math.Abs(Measured / Expected - 1) <= Tolerance
            ? null
            : $"The virtual nodes reached {Measured:0.0} deliveries/s instead of {Expected:0.0} (±{Tolerance:P0}) before the run: "
                + "this machine is too busy to emulate them. Close other programs and run again.";

    /// <summary>Repeats the measurement, at most three times, until it is within the tolerance.</summary>
    /// <param name="say">Reports that the run will be invalid.</param>
    public static async Task<Calibration> RepeatAsync(Func<Task<Calibration>> measure, Action<string> say)
    {
        var calibration = await measure();
        for (var i = 1; i < Measurements && calibration.WhyVoid is not null; i++)
            calibration = await measure();
        if (calibration.WhyVoid is { } reason)
            say($"{reason} The run continues, but its result will be void.");
        return calibration;
    }

    /// <summary>Measures once, in 2.4 s.</summary>
    /// <param name="declared">The nodes without a stage's settings. Their CPU costs must not be zero.</param>
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
        // Read first here and last below, so an interruption in between can only lower the result.
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

    /// <summary>Returns the deliveries per second that saturate the first node, without requests to Ingestion.</summary>
    public static double CapacityOf(DeclaredNodes declared, Placement placement) =>
        Enumerable
            .Range(0, placement.Nodes)
            .Min(node =>
                1_000
                * (declared.VCpu - declared.System.Servers)
                / OfDelivery.Sum(service => declared.CpuMilliseconds[service.Name] * ShareOn(node, service, placement))
            );

    private static IEnumerable<Service> OfDelivery => Service.Backends.Prepend(Service.Workflow);

    private static double CpuOfDelivery(DeclaredNodes declared) =>
        OfDelivery.Sum(service => declared.CpuMilliseconds[service.Name]);

    private static double ShareOn(int node, Service service, Placement placement)
    {
        var replicas = placement.NodeOf.Where(placed => service.Owns(placed.Key)).ToList();
        return replicas.Count(placed => placed.Value == node) / (double)replicas.Count;
    }

    private static int ReplicasOfStage5(Service service) => Service.Backends.Contains(service) ? 6 : 3;
}

/// <summary>Stands in for the service replicas.</summary>
internal sealed class CalibrationCallers : IAsyncDisposable
{
    private readonly Dictionary<Service, GateConnection[]> _replicas;
    private readonly DeclaredNodes _declared;
    private readonly Lock _lock = new();
    private readonly List<Task> _callers;
    private (double Milliseconds, long Holds) _work;
    private volatile bool _stopping;

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

    /// <summary>The completed holds and their CPU time, which is smoother because deliveries complete in bursts.</summary>
    public (double Milliseconds, long Holds) Work
    {
        get
        {
            lock (_lock)
                return _work;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _stopping = true;
        await Task.WhenAll(_callers);
        foreach (var connection in _replicas.Values.SelectMany(connections => connections))
            await connection.DisposeAsync();
    }

    /// <summary>Processes deliveries sequentially at one Workflow; the calls are distributed round robin.</summary>
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
