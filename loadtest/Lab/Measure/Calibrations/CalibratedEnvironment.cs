using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;
using DroneDelivery.Model.Figures;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

/// <summary>An environment fitted to the telemetry of a stage.</summary>
/// <param name="Latencies">Process (<c>broker</c> for settlement) → its latency, where enough calls were recorded.</param>
/// <param name="Costs">Service → CPU of a request, where enough requests were recorded.</param>
/// <param name="SystemShare">Percent of a node that the system takes; null: the run emulated no nodes.</param>
/// <param name="Warnings">One sentence each.</param>
internal sealed record CalibratedEnvironment(
    DeclaredEnvironment Environment,
    IReadOnlyDictionary<string, FittedLatency> Latencies,
    IReadOnlyDictionary<string, CpuCost> Costs,
    double? SystemShare,
    IReadOnlyList<string> Warnings
)
{
    /// <summary>Fewer calls or requests say too little.</summary>
    private const int Fewest = 30;

    private const string Broker = "broker";

    // From here on calls wait for CPUs so often that their times no longer measure latency.
    private const double TooBusy = 70;

    /// <summary>Percent of a node by which measured costs may exceed its CPU without a contradiction.</summary>
    private const double CostError = 1;

    private static readonly JsonSerializerOptions Indented = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    private static readonly KqlQuery Calls = Query(
            "dependencies",
            """
            | where cloud_RoleName has 'workflow' and success == true
            | where name endswith 'Complete' or target in ('package', 'delivery', 'dronescheduler')
            | project name, target, duration
            """
        ),
        Requests = Query(
            "requests",
            "| where not(name contains '/health') and not(name contains '/$') | summarize sum(itemCount) by cloud_RoleName"
        ),
        Replicas = Query("replicaSamples", "| order by timestamp asc | project service, replica, timestamp, cpu"),
        Nodes = Query("nodeSamples", "| summarize avg(cpu) by node");

    /// <param name="stage">A stage that keeps the application busy without overloading it.</param>
    /// <param name="otherwise">The source of what is not measured.</param>
    public static CalibratedEnvironment Of(
        RunTelemetry run,
        StageTimes stage,
        DeclaredEnvironment otherwise,
        string name,
        string source,
        CancellationToken cancellationToken
    )
    {
        var latencies = LatenciesIn(run.Ask(Calls, stage, cancellationToken));
        if (latencies.Count == 0)
            throw new BadInputException($"{source}: no dependency has {Fewest} calls that succeeded.");
        var cpu = CpuSecondsIn(run.Ask(Replicas, stage, cancellationToken));
        var costs = CostsOf(run.Ask(Requests, stage, cancellationToken), cpu);
        var busy = Rows(run.Ask(Nodes, stage, cancellationToken)).Select(node => Number(node(1))).ToList();
        var cores = cpu.Values.Sum() / (stage.End - stage.Start).TotalSeconds;
        var share =
            otherwise.Nodes is { } declared && busy.Count > 0 && cpu.Count > 0
                ? busy.Average() - 100 * cores / busy.Count / declared.VCpu
                : (double?)null;
        var known = share is >= -CostError and var percent ? Math.Max(0, percent) : (double?)null;
        var environment = new DeclaredEnvironment(
            name,
            $"Calibrated from {source}.",
            $"Fitted to {latencies.Values.Sum(fit => fit.Count)} calls. The rest is that of {otherwise.Name}.",
            LatencyOf(latencies, otherwise),
            otherwise.Nodes is null ? null : NodesOf(otherwise.Nodes, costs, known)
        );
        return new(
            environment.Valid(),
            latencies,
            costs,
            known,
            [.. WarningsOf(latencies, costs, share, busy, otherwise)]
        );
    }

    /// <summary>As a file of <c>loadtest/environments</c>.</summary>
    public string ToJson() => JsonSerializer.Serialize(Form(), Indented);

    /// <summary>Everything, for scripts.</summary>
    public string ToReport(string? file) =>
        JsonSerializer.Serialize(
            new
            {
                File = file,
                Environment = Form(),
                Latencies = Latencies.ToDictionary(
                    it => it.Key,
                    it => new
                    {
                        it.Value.Count,
                        it.Value.Distribution.Mu,
                        it.Value.Distribution.Sigma,
                    }
                ),
                Costs,
                SystemShare,
                Warnings,
            },
            Indented
        );

    private object Form() =>
        new
        {
            Environment.Name,
            Environment.Description,
            Environment.Source,
            Latency = Environment.Latency.ToDictionary(
                it => it.Key,
                it => new { Mu = Math.Round(it.Value.Mu, 4), Sigma = Math.Round(it.Value.Sigma, 4) }
            ),
            Nodes = Environment.Nodes is { } nodes
                ? new
                {
                    nodes.Count,
                    nodes.VCpu,
                    System = new
                    {
                        JobMilliseconds = Math.Round(nodes.System.JobMilliseconds, 3),
                        nodes.System.EveryMilliseconds,
                    },
                    CpuMilliseconds = nodes.CpuMilliseconds.ToDictionary(it => it.Key, it => Math.Round(it.Value, 3)),
                }
                : null,
        };

    private static KqlQuery Query(string table, string rest) =>
        KqlQuery.Parse(
            $"let start = ago(1h); let end = now(); {table} | where timestamp > start and timestamp < end {rest}"
        );

    private static IEnumerable<Func<int, object?>> Rows(QueryResult answer) =>
        Enumerable.Range(0, answer.Rows).Select(row => (Func<int, object?>)(column => answer[row, column]));

    private static double Number(object? cell) => Convert.ToDouble(cell);

    private static Dictionary<string, FittedLatency> LatenciesIn(QueryResult calls) =>
        Rows(calls)
            .Select(call => (Process: ProcessOf($"{call(0)}", $"{call(1)}"), Milliseconds: Number(call(2))))
            .Where(call => call.Milliseconds > 0)
            .GroupBy(call => call.Process, call => call.Milliseconds)
            .Where(process => process.Count() >= Fewest)
            .ToDictionary(process => process.Key, FittedLatency.Of);

    private static string ProcessOf(string name, string target) =>
        name.EndsWith("Complete", StringComparison.OrdinalIgnoreCase) ? Broker : target;

    /// <summary>Service → CPU time of its node that it took. Each sample tells of the time since the one before.</summary>
    private static Dictionary<string, double> CpuSecondsIn(QueryResult samples) =>
        Rows(samples)
            .GroupBy(sample => (Service: $"{sample(0)}", Replica: $"{sample(1)}"))
            .GroupBy(
                replica => replica.Key.Service,
                replica =>
                    replica
                        .Zip(replica.Skip(1), (before, sample) =>
                            Number(sample(3)) / 100 * ((DateTime)sample(2)! - (DateTime)before(2)!).TotalSeconds
                        )
                        .Sum()
            )
            .ToDictionary(service => service.Key, service => service.Sum());

    private static Dictionary<string, CpuCost> CostsOf(QueryResult requests, Dictionary<string, double> cpu) =>
        Rows(requests)
            .Select(service => (Name: $"{service(0)}", Count: Number(service(1))))
            .Where(service => service.Count >= Fewest && cpu.GetValueOrDefault(service.Name) > 0)
            .ToDictionary(
                service => service.Name,
                service => new CpuCost(1000 * cpu[service.Name] / service.Count, service.Count)
            );

    private static Dictionary<string, LogNormal> LatencyOf(
        Dictionary<string, FittedLatency> fits,
        DeclaredEnvironment otherwise
    )
    {
        var latency = new Dictionary<string, LogNormal>(otherwise.Latency);
        foreach (var (process, fit) in fits)
            latency[process] = fit.Distribution;
        return latency;
    }

    private static DeclaredNodes NodesOf(DeclaredNodes otherwise, Dictionary<string, CpuCost> costs, double? share) =>
        otherwise with
        {
            CpuMilliseconds = otherwise.CpuMilliseconds.ToDictionary(
                it => it.Key,
                it => costs.GetValueOrDefault(it.Key)?.Milliseconds ?? it.Value
            ),
            System = share is { } percent
                ? otherwise.System with
                {
                    JobMilliseconds = percent / 100 * otherwise.VCpu * otherwise.System.EveryMilliseconds,
                }
                : otherwise.System,
        };

    private static IEnumerable<string> WarningsOf(
        Dictionary<string, FittedLatency> fits,
        Dictionary<string, CpuCost> costs,
        double? share,
        List<double> busy,
        DeclaredEnvironment otherwise
    )
    {
        foreach (var (process, fit) in fits.Where(fit => fit.Value.HasHeavyTail))
            yield return $"{process}: a heavy tail, the 99th percentile is {fit.P99:0.#} ms. The model expects less.";
        var missing = Service.Backends.Select(service => service.Name).Append(Broker).Except(fits.Keys).ToList();
        if (missing.Count > 0)
            yield return $"Too few calls of {string.Join(", ", missing)}: these latencies are those of {otherwise.Name}.";
        var unknown = Service.All.Select(service => service.Name).Except(costs.Keys).ToList();
        if (otherwise.Nodes is not null && unknown.Count > 0)
            yield return $"Too little CPU telemetry of {string.Join(", ", unknown)}: these costs are those of {otherwise.Name}.";
        if (otherwise.Nodes is not null && share is null)
            yield return $"The system's share of a node is unknown: it is that of {otherwise.Name}.";
        if (share < -CostError)
            yield return $"The requests cost more CPU than nodes of {otherwise.Nodes!.VCpu} vCPUs had: nodes.vCpu is wrong.";
        if (busy.DefaultIfEmpty(0).Max() is > TooBusy and var busiest)
        {
            yield return $"A node was busy for {busiest:0} % of the time: calls waited for CPUs, and their times contain that. "
                + "Calibrate with a load that leaves the nodes idle half of the time.";
        }
    }
}

/// <summary>CPU of one request or message.</summary>
internal sealed record CpuCost(double Milliseconds, double Count);

/// <summary>A log-normal distribution fitted to measured times.</summary>
/// <param name="P99">Their 99th percentile, in milliseconds.</param>
internal sealed record FittedLatency(LogNormal Distribution, int Count, double P99)
{
    // Standard deviations below which 99 of 100 values of a normal distribution are.
    private const double Normal99 = 2.326;

    private const double HeavyTail = 1.25;
    private const int EnoughForTail = 200;

    public bool HasHeavyTail =>
        Count >= EnoughForTail && P99 > HeavyTail * Math.Exp(Distribution.Mu + Normal99 * Distribution.Sigma);

    public static FittedLatency Of(IEnumerable<double> milliseconds)
    {
        double[] logarithms = [.. milliseconds.Select(time => Math.Log(time))];
        var mu = logarithms.Average();
        var variance = logarithms.Sum(ln => (ln - mu) * (ln - mu)) / (logarithms.Length - 1);
        return new(new(mu, Math.Sqrt(variance)), logarithms.Length, Math.Exp(Percentiles.Of(logarithms).P99));
    }
}
