using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Cluster;

/// <summary>What is running, for the verbs that talk to it: <c>artifacts/lab/state.json</c> while a lab runs.</summary>
internal sealed record LabState(
    string Verb,
    int ProcessId,
    DateTimeOffset Since,
    string Folder,
    Uri Broker,
    string BrokerConnectionString,
    string Redis,
    IReadOnlyList<ReplicaState> Replicas
)
{
    /// <summary>Of each process that has ended by itself, by its name: <c>workflow-0</c>, <c>broker</c>, <c>redis</c>.</summary>
    public IReadOnlyDictionary<string, ProcessHistory> Histories { get; init; } =
        new Dictionary<string, ProcessHistory>();

    /// <summary>The queue's counters when the application was ready; null: zero. What the lab did before is nobody's.</summary>
    public QueueCounters? Baseline { get; init; }

    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web) { WriteIndented = true };

    private static string FilePath => Path.Combine(Repository.LabFolder, "state.json");

    public IEnumerable<ReplicaState> Of(Service service) => Replicas.Where(replica => replica.Service == service.Name);

    public static LabState Of(string verb, Application application, TimeProvider clock)
    {
        var plan = application.Plan;
        var replicas = plan.AllReplicas.Select(it => new ReplicaState(
            it.Service.Name,
            it.Replica,
            application[it.Service, it.Replica].Id,
            plan.Url(it.Service, it.Replica)
        ));
        return new(
            verb,
            Environment.ProcessId,
            clock.GetUtcNow(),
            plan.Folder,
            plan.Broker,
            plan.BrokerConnectionString,
            plan.RedisConnectionString,
            [.. replicas]
        );
    }

    public void Save() => Disk.Replace(FilePath, JsonSerializer.Serialize(this, Options));

    /// <returns>Null when no lab runs; what a crashed one left behind is not believed.</returns>
    private static LabState? Read() =>
        File.Exists(FilePath)
        && JsonSerializer.Deserialize<LabState>(File.ReadAllText(FilePath), Options) is { } state
        && LabLock.IsHeld()
            ? state
            : null;

    public static LabState Running() =>
        Read() ?? throw new LabException("Nothing is running. Start the application first: `./lab up`.");

    public static void Delete() => File.Delete(FilePath);
}

internal sealed record ReplicaState(string Service, int Replica, int ProcessId, Uri Url)
{
    [JsonIgnore]
    public string Name => $"{Service}-{Replica}";
}
