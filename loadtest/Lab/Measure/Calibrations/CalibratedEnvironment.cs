using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;
using DroneDelivery.Model.Figures;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

/// <summary>An environment fitted to the telemetry of a stage.</summary>
/// <param name="Latencies">By process (<c>broker</c> for settlement); without those with too few calls.</param>
/// <param name="SystemShare">In percent of a node; <c>null</c> without emulated nodes.</param>
internal sealed record CalibratedEnvironment(
    DeclaredEnvironment Environment,
    IReadOnlyDictionary<string, FittedLatency> Latencies,
    IReadOnlyDictionary<string, CpuCost> Costs,
    double? SystemShare,
    IReadOnlyList<string> Warnings
)
{
    /// <summary>The minimum number of calls or requests for a fit.</summary>
    private const int MinCount = 30;

    private const string Broker = "broker";

    // Above this, calls wait for CPUs too often for their durations to measure latency.
    private const double TooBusy = 70;

    /// <summary>The percentage of a node by which measured costs can exceed its CPU.</summary>
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
            throw new BadInputException($"{source}: no dependency has {MinCount} successful calls.");
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
            $"Fitted to {latencies.Values.Sum(fit => fit.Count)} calls. Other values are from {otherwise.Name}.",
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

    /// <summary>Returns the JSON for a file of <c>loadtest/environments</c>.</summary>
    public string ToJson() => JsonSerializer.Serialize(Form(), Indented);

    public string ToReport(string? file) =>
        JsonSerializer.Serialize(
            new
            {
                File = file,
                Environment = Form(),
                Latencies = Latencies.ToDictionary(
                    latency => latency.Key,
                    latency => new
                    {
                        latency.Value.Count,
                        latency.Value.Distribution.Mu,
                        latency.Value.Distribution.Sigma,
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
                latency => latency.Key,
                latency => new { Mu = Math.Round(latency.Value.Mu, 4), Sigma = Math.Round(latency.Value.Sigma, 4) }
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
                    CpuMilliseconds = nodes.CpuMilliseconds.ToDictionary(
                        cost => cost.Key,
                        cost => Math.Round(cost.Value, 3)
                    ),
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
            .Where(process => process.Count() >= MinCount)
            .ToDictionary(process => process.Key, FittedLatency.Of);

    private static string ProcessOf(string name, string target) =>
        name.EndsWith("Complete", StringComparison.OrdinalIgnoreCase) ? Broker : target;

    /// <summary>Returns the CPU time by service. A sample covers the time since the previous one.</summary>
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
            .Where(service => service.Count >= MinCount && cpu.GetValueOrDefault(service.Name) > 0)
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
                cost => cost.Key,
                cost => costs.GetValueOrDefault(cost.Key)?.Milliseconds ?? cost.Value
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
            yield return $"{process} has a heavy tail: its 99th percentile is {fit.P99:0.#} ms, more than in the model.";
        var missing = Service.Backends.Select(service => service.Name).Append(Broker).Except(fits.Keys).ToList();
        if (missing.Count > 0)
            yield return $"Too few calls of {string.Join(", ", missing)}: these latencies are from {otherwise.Name}.";
        var unknown = Service.All.Select(service => service.Name).Except(costs.Keys).ToList();
        if (otherwise.Nodes is not null && unknown.Count > 0)
            yield return $"Too little CPU telemetry of {string.Join(", ", unknown)}: these costs are from {otherwise.Name}.";
        if (otherwise.Nodes is not null && share is null)
            yield return $"The system's share of a node is unknown: the value is from {otherwise.Name}.";
        if (share < -CostError)
            yield return $"The requests used more CPU than nodes of {otherwise.Nodes!.VCpu} vCPUs have: nodes.vCpu is too low.";
        if (busy.DefaultIfEmpty(0).Max() is > TooBusy and var busiest)
        {
            yield return $"A node was busy for {busiest:0} % of the time: calls waited for CPUs, which increased their latencies. "
                + "Calibrate with a load that leaves the nodes idle half of the time.";
        }
    }
}

internal sealed record CpuCost(double Milliseconds, double Count);

/// <summary>A log-normal distribution fitted to measured durations.</summary>
/// <param name="P99">In milliseconds.</param>
internal sealed record FittedLatency(LogNormal Distribution, int Count, double P99)
{
    // 99 % of a normal distribution lies below this many standard deviations.
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
