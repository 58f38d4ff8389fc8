using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>Replicas of Ingestion, of Workflow and of each back end on some nodes, and the rate that their CPUs allow.</summary>
internal sealed record Layout(int Nodes, int Ingestion, int Workflow, int Backends, double Rate)
{
    public int Replicas => Ingestion + Workflow + 3 * Backends;
}

/// <summary>
/// The planner's arithmetic for every number of replicas: a node gives a delivery the CPU time of the replicas that it has. Replicas are
/// placed in turn.
/// </summary>
/// <param name="cpuMilliseconds">Service → CPU time of a request or message.</param>
/// <param name="servers">vCPUs of a node that its system leaves.</param>
internal sealed class Layouts(IReadOnlyDictionary<string, double> cpuMilliseconds, double servers)
{
    private readonly double[] _costs =
    [
        .. Service.All.Select(service => cpuMilliseconds.GetValueOrDefault(service.Name) / 1000),
    ];

    public static Layouts Of(DeclaredNodes nodes) => new(nodes.CpuMilliseconds, nodes.VCpu - nodes.System.Servers);

    /// <summary>CPU time of one delivery, all services together: seconds.</summary>
    public double CpuOfDelivery => _costs.Sum();

    /// <summary>The most that any layout on so many nodes can give.</summary>
    public double Bound(int nodes) => CpuOfDelivery == 0 ? double.PositiveInfinity : nodes * servers / CpuOfDelivery;

    /// <summary>Every layout within the ranges, the one with the fewest replicas first.</summary>
    public IEnumerable<Layout> On(int nodes, Numbers ingestion, Numbers workflow, Numbers backends) =>
        (
            from i in ingestion.All
            from w in workflow.All
            from b in backends.All
            select new Layout(nodes, i, w, b, RateOf(nodes, i, w, b))
        )
            .OrderBy(layout => layout.Replicas)
            .ThenByDescending(layout => layout.Rate);

    private double RateOf(int nodes, int ingestion, int workflow, int backends)
    {
        Span<double> perDelivery = stackalloc double[nodes];
        perDelivery.Clear();
        var placed = 0;
        for (var service = 0; service < _costs.Length; service++)
        {
            var replicas =
                service == 0 ? ingestion
                : service == 1 ? workflow
                : backends;
            for (var i = 0; i < replicas; i++)
                perDelivery[placed++ % nodes] += _costs[service] / replicas;
        }

        var most = 0.0;
        foreach (var cost in perDelivery)
            most = Math.Max(most, cost);
        return most == 0 ? double.PositiveInfinity : servers / most;
    }
}

/// <summary>Whole numbers that a knob may have.</summary>
internal readonly record struct Numbers(int Min, int Max)
{
    public IEnumerable<int> All => Enumerable.Range(Min, Math.Max(0, Max - Min + 1));

    public bool Has(int number) => number >= Min && number <= Max;
}
