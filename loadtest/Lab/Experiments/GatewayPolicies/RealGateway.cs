using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Gateway, Ingestion and broker on this machine: what each policy really costs the gateway's process.</summary>
internal static class RealGateway
{
    // The turn that warms up is longer: the runtime compiles what is called often a second time.
    private const int WarmUpLength = 3;

    public static async Task<Exhibits> ShowAsync(
        Application application,
        Scene scene,
        CancellationToken cancellationToken
    ) => (await MeasureAsync(application, scene, cancellationToken)).Exhibits();

    internal static async Task<PolicyMeasurements> MeasureAsync(
        Application application,
        Scene scene,
        CancellationToken cancellationToken
    )
    {
        using var http = Loopback.CreateClient();
        var queue = new QueueControl(http, application.Plan.Broker);
        var before = await queue.ReadAsync(cancellationToken);
        var turns = await RealArm.InTurnAsync(
            scene,
            PolicyLoad.All(),
            load => load.Title,
            async (load, turn) =>
            {
                var measured = await MeasureAsync(load, turn, application, http, scene.Knobs, cancellationToken);
                await queue.PurgeAsync(TimeProvider.System, cancellationToken);
                return measured;
            }
        );
        var after = await queue.ReadAsync(cancellationToken);
        return new([.. turns.SelectMany(it => it.Turns)], after.Incoming - before.Incoming);
    }

    private static async Task<PolicyTurn> MeasureAsync(
        PolicyLoad load,
        int turn,
        Application application,
        HttpClient http,
        KnobValues knobs,
        CancellationToken cancellationToken
    )
    {
        var process = application[Service.Gateway, load.Gateway];
        var url = application.Plan.Url(Service.Gateway, load.Gateway);
        var clients = new ClosedClients(http, number => load.Next(url, number), load.Expected);
        var length = TimeSpan.FromSeconds(knobs["real.seconds"] * (turn == 0 ? WarmUpLength : 1));
        var before = process.Cpu;
        var seen = await clients.RunAsync((int)knobs["real.clients"], length, cancellationToken);
        return new(load, turn, seen, process.Cpu - before);
    }

    internal static ApplicationPlan PlanOf(ExperimentPlace place) =>
        RealArm.PlanOf(place) with
        {
            HasPolicyPlugin = true,
            With = [.. PolicyLoad.Gateways.Select(_ => Service.Gateway)],
            Overrides = RealArm.EachWith(
                Service.Gateway,
                "Gateway:PolicyFile",
                PolicyLoad.Gateways.Select(policies =>
                    Path.Combine(Repository.Root, "loadtest", "policies", $"{policies}.json")
                )
            ),
        };
}
