using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;
using DroneDelivery.Model.Fit;

namespace DroneDelivery.Lab.Measure;

/// <summary>An environment fitted to telemetry, and how far it can be trusted.</summary>
internal sealed record CalibratedEnvironment
{
    private const string Broker = "broker";

    // Nodes that are busy with so many points less than the requests cost are no rounding.
    private const double Contradiction = -1;

    // From here on calls wait for CPUs so often that their times are no latencies any more.
    private const double TooBusy = 70;

    private static readonly JsonSerializerOptions Indented = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public required DeclaredEnvironment Environment { get; init; }

    /// <summary>Process (<c>broker</c> for settlement) → its latency; without those of which the telemetry says too little.</summary>
    public required IReadOnlyDictionary<string, LogNormalFit> Latencies { get; init; }

    /// <summary>Service → what a request costs; likewise.</summary>
    public required IReadOnlyDictionary<string, CpuCost> Costs { get; init; }

    /// <summary>Percent of a node that the system takes; null: nobody says.</summary>
    public required double? SystemShare { get; init; }

    /// <summary>Calls that failed; their times say nothing about a latency.</summary>
    public required int Failed { get; init; }

    /// <summary>What to know before it is used, one sentence each.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    /// <param name="items">Telemetry of a time in which much was asked of the application, and no more than it can do.</param>
    /// <param name="otherwise">What is not measured is taken from it.</param>
    public static CalibratedEnvironment Of(
        IReadOnlyList<TelemetryItem> items,
        DeclaredEnvironment otherwise,
        string name,
        string source
    )
    {
        var calls = items.Where(item => item.Kind == ItemKind.Dependency).ToLookup(item => ProcessOf(item));
        var latencies = Fits(calls);
        if (latencies.Count == 0)
        {
            throw new BadInputException(
                $"{source}: no dependency has {LogNormalFit.Fewest} calls that succeeded. Expected targets package, dronescheduler and "
                    + "delivery, and settlements whose name ends with Complete."
            );
        }

        var bins = new CpuBins(items);
        var costs = Service
            .All.Select(service => (service.Name, Cost: bins.CostOf(service.Name)))
            .Where(it => it.Cost is not null)
            .ToDictionary(it => it.Name, it => it.Cost!);
        var share = SystemShareOf(bins, costs, otherwise.Nodes);
        var environment = new DeclaredEnvironment(
            name,
            $"Calibrated from {source}.",
            SourceText(latencies, costs, otherwise),
            LatencyOf(latencies, otherwise),
            NodesOf(costs, share, otherwise.Nodes)
        );
        return new()
        {
            Environment = environment.Valid(),
            Latencies = latencies,
            Costs = costs,
            SystemShare = share,
            Failed = calls.Where(it => it.Key is not null).Sum(it => it.Count(item => !item.Success)),
            Warnings =
            [
                .. WarningsOf(items, latencies, costs, bins, otherwise),
                .. otherwise.Nodes is { } nodes ? NodeWarningsOf(nodes, otherwise.Name, share, bins, costs) : [],
            ],
        };
    }

    /// <summary>As a file of <c>loadtest/environments</c>.</summary>
    public string ToJson() => JsonSerializer.Serialize(Form(), Indented);

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
                        it.Value.MuError,
                        it.Value.Distribution.Sigma,
                        it.Value.SigmaError,
                        it.Value.Distance,
                        it.Value.Usual,
                        it.Value.Verdict,
                        it.Value.Warning,
                    }
                ),
                Costs,
                SystemShare,
                Failed,
                Warnings,
            },
            Indented
        );

    private static string? ProcessOf(TelemetryItem item) =>
        item.Name.EndsWith("Complete", StringComparison.OrdinalIgnoreCase)
            ? Broker
            : Service.Backends.FirstOrDefault(service => Roles.Is(item.Target, service.Name))?.Name;

    private static Dictionary<string, LogNormalFit> Fits(ILookup<string?, TelemetryItem> calls) =>
        calls
            .Where(process => process.Key is not null)
            .Select(process => (process.Key, Times: TimesOf(process)))
            .Where(it => it.Times.Count >= LogNormalFit.Fewest)
            .ToDictionary(it => it.Key!, it => LogNormalFit.Of(it.Times));

    private static List<double> TimesOf(IEnumerable<TelemetryItem> calls) =>
        [.. calls.Where(call => call.Success && call.Value > 0).Select(call => call.Value)];

    /// <summary>What nodes are busy with beside requests and messages.</summary>
    private static double? SystemShareOf(CpuBins bins, Dictionary<string, CpuCost> costs, DeclaredNodes? otherwise) =>
        Beside(bins, costs, otherwise) is >= Contradiction and var share ? Math.Max(0, share) : null;

    /// <summary>Percent of the nodes that is left when the requests' work is taken off; null: nobody says.</summary>
    private static double? Beside(CpuBins bins, Dictionary<string, CpuCost> costs, DeclaredNodes? otherwise)
    {
        if (otherwise is null || costs.Count < Service.All.Count || bins.Nodes(otherwise.VCpu) is not { } nodes)
            return null;
        var work = costs.Values.Sum(cost => cost.Milliseconds * cost.Count / 1000) / bins.Seconds;
        return 100 * (nodes.Busy - work) / nodes.Nodes / otherwise.VCpu;
    }

    private static Dictionary<string, LogNormal> LatencyOf(
        Dictionary<string, LogNormalFit> fits,
        DeclaredEnvironment otherwise
    )
    {
        var latency = new Dictionary<string, LogNormal>(otherwise.Latency);
        foreach (var (process, fit) in fits)
            latency[process] = fit.Distribution;
        return latency;
    }

    private static DeclaredNodes? NodesOf(Dictionary<string, CpuCost> costs, double? share, DeclaredNodes? otherwise) =>
        otherwise is null
            ? null
            : otherwise with
            {
                CpuMilliseconds = otherwise.CpuMilliseconds.ToDictionary(
                    it => it.Key,
                    it => costs.TryGetValue(it.Key, out var cost) ? cost.Milliseconds : it.Value
                ),
                System = share is { } percent
                    ? otherwise.System with
                    {
                        JobMilliseconds = percent / 100 * otherwise.VCpu * otherwise.System.EveryMilliseconds,
                    }
                    : otherwise.System,
            };

    private static string SourceText(
        Dictionary<string, LogNormalFit> fits,
        Dictionary<string, CpuCost> costs,
        DeclaredEnvironment otherwise
    ) =>
        $"Fitted to {fits.Values.Sum(fit => fit.Count)} calls"
        + (costs.Count > 0 ? $" and the CPU of {string.Join(", ", costs.Keys)}." : ".")
        + $" The rest is that of {otherwise.Name}.";

    private static IEnumerable<string> WarningsOf(
        IReadOnlyList<TelemetryItem> items,
        Dictionary<string, LogNormalFit> fits,
        Dictionary<string, CpuCost> costs,
        CpuBins bins,
        DeclaredEnvironment otherwise
    )
    {
        foreach (var (process, fit) in fits.Where(fit => fit.Value.Warning is not null))
            yield return $"{process}: {fit.Warning}";
        string[] missing =
        [
            .. Service
                .Backends.Select(service => service.Name)
                .Append(Broker)
                .Where(process => !fits.ContainsKey(process)),
        ];
        if (missing.Length > 0)
            yield return $"Too few calls of {string.Join(", ", missing)}: these latencies are those of {otherwise.Name}.";
        string[] unknown =
        [
            .. Service.All.Select(service => service.Name).Where(service => !costs.ContainsKey(service)),
        ];
        if (otherwise.Nodes is not null && unknown.Length > 0)
        {
            yield return (bins.IsKnown ? "Too little CPU telemetry" : "No CPU telemetry")
                + $" of {string.Join(", ", unknown)}: these costs are those of {otherwise.Name}.";
        }

        if (Busiest(items) is > TooBusy and var busiest)
        {
            yield return $"A node was busy for {busiest:0} % of the time: calls waited for CPUs, and their times contain that. "
                + "Calibrate with a load that leaves the nodes idle half of the time.";
        }
    }

    private static IEnumerable<string> NodeWarningsOf(
        DeclaredNodes nodes,
        string name,
        double? share,
        CpuBins bins,
        Dictionary<string, CpuCost> costs
    )
    {
        if (share is null && Beside(bins, costs, nodes) is not null)
        {
            yield return $"The requests cost more CPU than nodes of {nodes.VCpu} vCPUs were busy with: nodes.vCpu is another one. "
                + $"The system's share is that of {name}.";
        }
        else if (share is null)
        {
            yield return $"The system's share of a node cannot be told: it is that of {name}.";
        }
    }

    private static double Busiest(IReadOnlyList<TelemetryItem> items) =>
        items
            .Where(item => item.Kind == ItemKind.NodeCpu)
            .GroupBy(item => item.Instance)
            .Select(node => node.Average(item => item.Value))
            .DefaultIfEmpty(0)
            .Max();
}
