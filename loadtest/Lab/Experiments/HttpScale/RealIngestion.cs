using System.Net;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments.HttpScale;

/// <summary>One Ingestion on this machine, with more and more requests at the same time: what an instance really does.</summary>
internal static class RealIngestion
{
    private static readonly int[] Concurrencies = [1, 2, 4, 8, 16, 64];

    /// <exception cref="LabException">No redis-server, or a port is in use.</exception>
    public static void RequireMachine(ExperimentPlace place)
    {
        _ = RedisServer.Find();
        Ports.EnsureFree(PlanOf(place).AllPorts);
    }

    public static async Task<Exhibits> MeasureAsync(
        KnobValues knobs, ExperimentPlace place, IProgress<string> progress, CancellationToken cancellationToken)
    {
        var plan = PlanOf(place);
        progress.Report("starting the application");
        await using var application = await Application.StartAsync(plan, new Progress<(int, int)>(), cancellationToken);
        using var http = Loopback.CreateClient();
        var clients = ClientsOf(http, plan.Url(Service.Ingestion, 0));
        try
        {
            var loads = await MeasureAsync(clients, new QueueControl(http, plan.Broker), knobs, progress, cancellationToken);
            return new(Figures(loads)) { Tables = [Table(loads)] };
        }
        catch (Exception exception)
            when (exception is HttpRequestException or OperationCanceledException && !cancellationToken.IsCancellationRequested)
        {
            throw new LabException($"Ingestion or the broker did not answer: {exception.Message.Split('\n')[0]}");
        }
    }

    /// <summary>All concurrencies in turn, so that whatever else the machine does meets each of them; the first turn warms up.</summary>
    private static async Task<IReadOnlyList<ClosedLoad>> MeasureAsync(
        ClosedClients clients, QueueControl queue, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        var length = TimeSpan.FromSeconds(knobs["real.seconds"]);
        var turns = (int)knobs["real.repetitions"];
        var loads = new List<ClosedLoad>();
        for (var turn = 0; turn <= turns; turn++)
            foreach (var concurrency in Concurrencies)
            {
                progress.Report($"{concurrency} requests at a time, turn {turn} of {turns}");
                var load = await clients.RunAsync(concurrency, length, cancellationToken);
                await queue.PurgeAsync(TimeProvider.System, cancellationToken);
                if (turn > 0)
                    loads.Add(load);
            }

        return [.. loads.GroupBy(load => load.Clients).Select(same => ClosedLoad.Together([.. same]))];
    }

    internal static ClosedClients ClientsOf(HttpClient http, Uri ingestion)
    {
        var (address, requests) = (new Uri(ingestion, "api/deliveryrequests"), DeliveryRequests.Load());
        return new(http, number => new(HttpMethod.Post, address) { Content = requests.Create($"{number}") }, HttpStatusCode.Accepted);
    }

    internal static Dictionary<string, double> Figures(IReadOnlyList<ClosedLoad> loads)
    {
        var by = loads.ToDictionary(load => load.Clients);
        return new()
        {
            ["real.gain"] = by[16].PerSecond / by[1].PerSecond,
            ["real.saturation"] = by[64].PerSecond / by[16].PerSecond,
            ["real.wait"] = by[64].Percentile(0.5) / by[4].Percentile(0.5),
            ["real.inside"] = by[16].Inside,
            ["real.failed"] = loads.Sum(load => load.Failed),
        };
    }

    private static ExperimentTable Table(IReadOnlyList<ClosedLoad> loads) => new(
        "One Ingestion on this machine",
        "Each request is answered when the broker has acknowledged its message. Clients, Ingestion and broker share the machine.",
        ["at a time#", "requests/s#", "p50 ms#", "p90 ms#", "p99 ms#", "p99.9 ms#"],
        [.. loads.Select(Row)]);

    private static IReadOnlyList<string> Row(ClosedLoad load) =>
    [
        $"{load.Clients}", $"{load.PerSecond:#,0}", $"{load.Percentile(0.5):0.00}", $"{load.Percentile(0.9):0.00}",
        $"{load.Percentile(0.99):0.00}", $"{load.Percentile(0.999):0.00}",
    ];

    // Without Workflow nobody takes the messages, so that Ingestion has the machine to itself.
    private static ApplicationPlan PlanOf(ExperimentPlace place) =>
        new(place.Folder, place.Ports, KnobSet.Parse(["workflow.replicas=0"]), DeclaredEnvironment.None, Seed: 1);
}
