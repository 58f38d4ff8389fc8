using System.Net.Http.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Counters of <c>GET /track/counters</c>.</summary>
internal sealed record TrackingCounters(long Answered, long Stored, long Lost, long Waiting);

/// <summary>Azurite, the broker, and one tracking service for each writer, all on this machine.</summary>
internal sealed class TrackingProcesses : IAsyncDisposable
{
    private static readonly string[] Writers = ["Insert", "Batch", "Queue", "None"];

    /// <summary>A busy machine is slow and no failure; and what waits in memory is stored soon after the last hit.</summary>
    private static readonly Dictionary<string, string> Patient = new()
    {
        ["Tracking:OperationTimeout"] = "00:01:00",
        ["Tracking:RoomTimeout"] = "00:01:00",
        ["Tracking:Capacity"] = "2000",
    };

    private readonly ApplicationPlan _plan;
    private readonly Application _stores;
    private readonly HttpClient _http = Loopback.CreateClient();
    private readonly Dictionary<string, ChildProcess> _services = [];

    private TrackingProcesses(ApplicationPlan plan, Application stores) => (_plan, _stores) = (plan, stores);

    /// <summary>What stores: Azurite is one of them.</summary>
    public IReadOnlyList<ChildProcess> Stores => _stores.Processes;

    /// <summary>Never ends well: one of them has ended by itself.</summary>
    /// <exception cref="LabException">Which one.</exception>
    public async Task WatchAsync()
    {
        var services = _services.Values.Select(EndOfAsync);
        throw await await Task.WhenAny([_stores.Crashed, .. services]);
    }

    /// <exception cref="LabException">A port is in use.</exception>
    public static void RequireFreePorts(ExperimentPlace place)
    {
        var plan = PlanOf(place);
        Ports.EnsureFree(
        [
            ("the broker", plan.Ports.Broker), ("Redis", plan.Ports.Redis), ("Azurite", plan.Ports.Azurite),
            .. Writers.Select((writer, i) => ($"Tracking ({writer})", plan.Ports.Of(Service.Tracking, i))),
        ]);
    }

    /// <exception cref="LabException">Something is missing, or does not start.</exception>
    public static async Task<TrackingProcesses> StartAsync(ExperimentPlace place, CancellationToken cancellationToken)
    {
        var plan = PlanOf(place);
        var stores = await Application.StartStoresAsync(plan, new Progress<(int, int)>(), cancellationToken);
        var processes = new TrackingProcesses(plan, stores);
        try
        {
            foreach (var writer in Writers)
                processes._services[writer] = processes.Start(writer);
            using var readiness = new Readiness(stores.Crashed, new Progress<(int, int)>(), Writers.Length);
            await Task.WhenAll(Writers.Select(
                writer => readiness.WaitAsync(processes._services[writer], processes.Url(writer), cancellationToken)));
            return processes;
        }
        catch
        {
            await processes.DisposeAsync();
            throw;
        }
    }

    public Uri Url(string writer) => _plan.Url(Service.Tracking, Array.IndexOf(Writers, writer));

    /// <summary>CPU time of the service with this writer.</summary>
    public TimeSpan Cpu(string writer) => _services[writer].Cpu;

    public Task<int> CountAsync(string table, CancellationToken cancellationToken) =>
        new StoredHits(_http, _plan.Ports.Azurite, TimeProvider.System).CountAsync(table, cancellationToken);

    public async Task<TrackingCounters> CountersAsync(string writer, CancellationToken cancellationToken) =>
        (await _http.GetFromJsonAsync<TrackingCounters>(new Uri(Url(writer), "track/counters"), cancellationToken))!;

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_services.Values.Select(service => service.DisposeAsync().AsTask()));
        await _stores.DisposeAsync();
        _http.Dispose();
    }

    private ChildProcess Start(string writer)
    {
        var settings = new Dictionary<string, string>(_plan.Settings(Service.Tracking, Array.IndexOf(Writers, writer)));
        foreach (var (key, value) in Patient.Append(new("Tracking:Writer", writer)))
            settings[ProcessSettings.Variable(key)] = value;
        var name = $"tracking-{writer.ToLowerInvariant()}";
        var assembly = Repository.Assembly(Service.Tracking.Project);
        return ChildProcess.Start(name, Path.Combine(_plan.Logs, $"{name}.log"), _plan.Folder, settings, [Repository.Dotnet, assembly]);
    }

    private static async Task<CrashException> EndOfAsync(ChildProcess service) => new(service.Name, await service.Ended, service.Log);

    private static ApplicationPlan PlanOf(ExperimentPlace place) =>
        new(place.Folder, place.Ports, KnobSet.Parse([]), DeclaredEnvironment.None, Seed: 1) { With = [Service.Tracking] };
}
