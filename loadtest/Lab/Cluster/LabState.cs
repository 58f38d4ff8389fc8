using System.Text.Json;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The running application, for the verbs that use it: <c>artifacts/lab/state.json</c> while a lab runs.</summary>
internal sealed record LabState(string BrokerConnectionString, IReadOnlyList<ReplicaState> Replicas)
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web) { WriteIndented = true };

    private static string FilePath => Path.Combine(Repository.LabFolder, "state.json");

    public IEnumerable<ReplicaState> Of(Service service) => Replicas.Where(replica => replica.Service == service.Name);

    public static LabState Of(Application application)
    {
        var plan = application.Plan;
        var replicas = plan.AllReplicas.Select(it => new ReplicaState(
            it.Service.Name,
            it.Replica,
            application[it.Service, it.Replica].Id,
            plan.Url(it.Service, it.Replica)
        ));
        return new(plan.BrokerConnectionString, [.. replicas]);
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

/// <param name="ProcessId">The process that was started first.</param>
internal sealed record ReplicaState(string Service, int Replica, int ProcessId, Uri Url);
