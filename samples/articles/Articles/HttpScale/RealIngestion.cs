using System.Net;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles.HttpScale;

/// <summary>Measures Ingestion on this machine with increasing concurrency, with more processes, and with a request limit.</summary>
internal static class RealIngestion
{
    private const int MostProcesses = 3,
        ClientsOfProcess = 16,
        ClientsOfLimit = 64;

    private static readonly int[] Concurrencies = [1, 2, 4, 8, 16, 64];

    private static readonly double[] Shares = [0.5, 0.9, 0.99, 0.999];

    public static Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken) =>
        RealArm.MeasureAsync(
            LimitedPlanOf(scene),
            scene,
            (application, token) => MeasureAsync(application, scene, token),
            cancellationToken
        );

    private static async Task<Exhibits> MeasureAsync(
        Application application,
        Scene scene,
        CancellationToken cancellationToken
    )
    {
        using var http = Loopback.CreateClient();
        var queue = new QueueControl(http, application.Plan.Broker);
        var length = TimeSpan.FromSeconds(scene.Knobs["real.seconds"]);
        var (one, several, limits) = (PlanOf(scene, 1), PlanOf(scene, MostProcesses), LimitedPlanOf(scene));
        var loads = await LoadAsync(
            one,
            Concurrencies.Select(it => new Load($"{it} concurrent requests", it, one.Urls(Service.Ingestion)))
        );
        var scaled = await LoadAsync(
            several,
            Enumerable
                .Range(1, MostProcesses)
                .Select(it => new Load(
                    $"Ingestion × {it}",
                    it * ClientsOfProcess,
                    [.. several.Urls(Service.Ingestion).Take(it)]
                ))
        );
        var limited = await LoadAsync(
            limits,
            Concurrencies.Zip(limits.Urls(Service.Ingestion), (limit, url) =>
                new Load($"a limit of {limit}", ClientsOfLimit, [url])
            )
        );
        return new(Figures(loads, scaled, limited)) { Tables = Tables(loads, scaled, limited) };

        async Task<IReadOnlyList<ClosedLoad>> LoadAsync(ApplicationPlan plan, IEnumerable<Load> all)
        {
            await application.ApplyAsync(plan, new Progress<(int, int)>(), cancellationToken);
            var clients = all.Select(load => (load.Says, load.Clients, Http: ClientsOf(http, load.Urls))).ToList();
            var seen = await RealArm.InTurnAsync(
                scene,
                clients,
                load => load.Says,
                async (load, _) =>
                {
                    var answers = await load.Http.RunAsync(load.Clients, length, cancellationToken);
                    await queue.PurgeAsync(TimeProvider.System, cancellationToken);
                    return answers;
                }
            );
            return [.. seen.Select(it => ClosedLoad.Together([.. it.Turns.Skip(1)]))];
        }
    }

    internal static ClosedClients ClientsOf(HttpClient http, IReadOnlyList<Uri> ingestions)
    {
        var requests = DeliveryRequests.Load();
        Uri[] addresses = [.. ingestions.Select(ingestion => new Uri(ingestion, "api/deliveryrequests"))];
        return new(
            http,
            number =>
                new(HttpMethod.Post, addresses[number % addresses.Length]) { Content = requests.Create($"{number}") },
            HttpStatusCode.Accepted
        );
    }

    /// <param name="loads">The loads of 1, 2, 4, 8, 16, and 64 clients on one process.</param>
    /// <param name="limited">The loads of the same number of clients on processes with limits of 1, 2, 4, 8, 16, and 64 requests.</param>
    internal static Dictionary<string, double> Figures(
        IReadOnlyList<ClosedLoad> loads,
        IReadOnlyList<ClosedLoad> scaled,
        IReadOnlyList<ClosedLoad> limited
    )
    {
        var by = loads.ToDictionary(load => load.Clients);
        var byLimit = Concurrencies.Zip(limited).ToDictionary(pair => pair.First, pair => pair.Second);
        return new()
        {
            ["real.gain"] = by[16].PerSecond / by[1].PerSecond,
            ["real.saturation"] = by[64].PerSecond / by[16].PerSecond,
            ["real.wait"] = by[64].Percentile(0.5) / by[4].Percentile(0.5),
            ["real.inside"] = by[16].Inside,
            ["real.processes"] = scaled[^1].PerSecond / scaled[0].PerSecond,
            ["real.limitGain"] = byLimit[16].PerSecond / byLimit[1].PerSecond,
            ["real.limitOfOne"] = byLimit[1].PerSecond / by[1].PerSecond,
            ["real.failed"] = loads.Concat(scaled).Concat(limited).Sum(load => load.Failed),
        };
    }

    private static IReadOnlyList<ExperimentTable> Tables(
        IReadOnlyList<ClosedLoad> loads,
        IReadOnlyList<ClosedLoad> scaled,
        IReadOnlyList<ClosedLoad> limited
    ) =>
        [
            Table(
                "An Ingestion instance on this machine",
                "Requests complete when the broker has acknowledged their message. Clients, Ingestion, and broker share the machine.",
                "concurrency#",
                loads.Select(load => Row(load.Clients, load))
            ),
            Table(
                "Several Ingestion instances on this machine",
                $"{ClientsOfProcess} concurrent requests for each. "
                    + "The instances share the cores, so a second one uses only what the first leaves idle.",
                "processes#",
                scaled.Select(load => Row(load.Clients / ClientsOfProcess, load))
            ),
            Table(
                "An Ingestion instance with a limit on concurrent requests",
                $"{ClientsOfLimit} clients for each limit. Requests above the limit wait in Ingestion; the latency includes this wait.",
                "limit#",
                Concurrencies.Zip(limited, Row)
            ),
        ];

    private static ExperimentTable Table(
        string title,
        string says,
        string number,
        IEnumerable<IReadOnlyList<string>> rows
    ) => new(title, says, [number, "requests/s#", "p50 ms#", "p90 ms#", "p99 ms#", "p99.9 ms#"], [.. rows]);

    private static IReadOnlyList<string> Row(int number, ClosedLoad load) =>
        [$"{number}", $"{load.PerSecond:#,0}", .. Shares.Select(share => $"{load.Percentile(share):0.00}")];

    private static ApplicationPlan PlanOf(Scene scene, int processes) =>
        RealArm.PlanOf(scene, $"ingestion.replicas={processes}");

    // Returns a plan with a process for each limit.
    internal static ApplicationPlan LimitedPlanOf(Scene scene) =>
        PlanOf(scene, Concurrencies.Length) with
        {
            Overrides = RealArm.EachWith(
                Service.Ingestion,
                "Ingestion:MaxConcurrentRequests",
                Concurrencies.Select(limit => $"{limit}")
            ),
        };

    private sealed record Load(string Says, int Clients, IReadOnlyList<Uri> Urls);
}
