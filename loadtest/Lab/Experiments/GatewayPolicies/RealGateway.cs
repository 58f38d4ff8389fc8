using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Gateway, Ingestion and broker on this machine: what each policy really costs the gateway's process.</summary>
internal static class RealGateway
{
    // The turn that warms up is longer: the runtime compiles what is called often a second time.
    private const int WarmUpLength = 3;

    // A crash is known half a second after it.
    private static readonly TimeSpan CrashIsKnownAfter = TimeSpan.FromSeconds(2);

    /// <exception cref="LabException">No redis-server, or a port is in use.</exception>
    public static void RequireMachine(ExperimentPlace place)
    {
        _ = RedisServer.Find();
        Ports.EnsureFree(PlanOf(place).AllPorts);
    }

    public static async Task<Exhibits> MeasureAsync(
        KnobValues knobs, ExperimentPlace place, IProgress<string> progress, CancellationToken cancellationToken)
    {
        progress.Report("starting the application with four gateways");
        await using var application = await Application.StartAsync(PlanOf(place), new Progress<(int, int)>(), cancellationToken);
        return (await MeasureAsync(application, knobs, progress, cancellationToken)).Exhibits();
    }

    /// <exception cref="LabException">A process ended or does not answer.</exception>
    internal static async Task<PolicyMeasurements> MeasureAsync(
        Application application, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        try
        {
            return await MeasureTurnsAsync(application, knobs, progress, cancellationToken);
        }
        catch (Exception exception)
            when (exception is HttpRequestException or OperationCanceledException && !cancellationToken.IsCancellationRequested)
        {
            await Task.WhenAny(application.Crashed, Task.Delay(CrashIsKnownAfter, cancellationToken));
            throw application.Crashed.IsCompleted
                ? await application.Crashed
                : new LabException($"Gateway or broker did not answer: {exception.Message.Split('\n')[0]}");
        }
    }

    /// <summary>All loads in turn, so that whatever else the machine does meets each of them.</summary>
    private static async Task<PolicyMeasurements> MeasureTurnsAsync(
        Application application, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        using var http = Loopback.CreateClient();
        var queue = new QueueControl(http, application.Plan.Broker);
        var before = await queue.ReadAsync(cancellationToken);
        var turns = (int)knobs["real.repetitions"];
        var (loads, measured) = (PolicyLoad.All(), new List<PolicyTurn>());
        for (var turn = 0; turn <= turns; turn++)
        {
            foreach (var load in loads)
            {
                progress.Report($"{load.Title}, turn {turn} of {turns}");
                measured.Add(await MeasureAsync(load, turn, application, http, knobs, cancellationToken));
                await queue.PurgeAsync(TimeProvider.System, cancellationToken);
            }
        }

        var after = await queue.ReadAsync(cancellationToken);
        return new(measured, after.Incoming - before.Incoming);
    }

    private static async Task<PolicyTurn> MeasureAsync(
        PolicyLoad load, int turn, Application application, HttpClient http, KnobValues knobs, CancellationToken cancellationToken)
    {
        var process = application[Service.Gateway, load.Gateway];
        var url = application.Plan.Url(Service.Gateway, load.Gateway);
        var clients = new ClosedClients(http, number => load.Next(url, number), load.Expected);
        var length = TimeSpan.FromSeconds(knobs["real.seconds"] * (turn == 0 ? WarmUpLength : 1));
        var before = process.Cpu;
        var seen = await clients.RunAsync((int)knobs["real.clients"], length, cancellationToken);
        return new(load, turn, seen, process.Cpu - before);
    }

    // Without Workflow nobody takes the messages, so that Gateway and Ingestion have the machine to themselves.
    internal static ApplicationPlan PlanOf(ExperimentPlace place) =>
        new(place.Folder, place.Ports, KnobSet.Parse(["workflow.replicas=0"]), DeclaredEnvironment.None, Seed: 1)
        {
            HasPolicyPlugin = true,
            With = [.. PolicyLoad.Gateways.Select(_ => Service.Gateway)],
            Overrides = PolicyLoad.Gateways.Select(SettingsOf).ToDictionary(),
        };

    private static KeyValuePair<string, IReadOnlyDictionary<string, string>> SettingsOf(string policies, int replica) => new(
        Service.Gateway.NameOf(replica),
        new Dictionary<string, string>
        {
            ["Gateway:PolicyFile"] = Path.Combine(Repository.Root, "loadtest", "policies", $"{policies}.json"),
        });
}
