using System.Text.Json;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The running application, stored in <c>artifacts/lab/state.json</c>.</summary>
internal sealed record LabState(string BrokerConnectionString, IReadOnlyList<ReplicaState> Replicas)
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web) { WriteIndented = true };

    private static string FilePath => Path.Combine(Repository.LabFolder, "state.json");

    public IEnumerable<ReplicaState> Of(Service service) => Replicas.Where(replica => replica.Service == service.Name);

    public static LabState Of(Application application)
    {
        var plan = application.Plan;
        var replicas = plan.AllReplicas.Select(process => new ReplicaState(
            process.Service.Name,
            process.Replica,
            application[process.Service, process.Replica].Id,
            plan.Url(process.Service, process.Replica)
        ));
        return new(plan.BrokerConnectionString, [.. replicas]);
    }

    public void Save() => Disk.Replace(FilePath, JsonSerializer.Serialize(this, Options));

    /// <returns><c>null</c> if no lab runs.</returns>
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

/// <param name="ProcessId">The id of the first process.</param>
internal sealed record ReplicaState(string Service, int Replica, int ProcessId, Uri Url);
