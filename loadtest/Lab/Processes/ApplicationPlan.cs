using System.Globalization;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Processes;

/// <summary>Everything that has to be known to start the application: which processes, and what each is told.</summary>
/// <param name="Folder">Logs go to its <c>logs</c>, databases to its <c>data</c>.</param>
/// <param name="Knobs">As they are applied (already shortened).</param>
/// <param name="Seed">Seed of everything random.</param>
internal sealed record ApplicationPlan(string Folder, Ports Ports, KnobSet Knobs, DeclaredEnvironment Environment, int Seed)
{
    /// <summary>Where the services send their telemetry; null turns it off.</summary>
    public string? TelemetryConnectionString { get; init; }

    public string Logs => Path.Combine(Folder, "logs");

    public string Data => Path.Combine(Folder, "data");

    public Uri Broker => new($"http://127.0.0.1:{Ports.Broker}/");

    /// <summary>The key is the emulator's well-known one: not a secret.</summary>
    public string BrokerConnectionString =>
        $"Endpoint=sb://localhost:{Ports.Broker};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;"
            + "UseDevelopmentEmulator=true";

    public string RedisConnectionString => $"127.0.0.1:{Ports.Redis}";

    public int Replicas(Service service) => (int)Knobs.Number(service.ReplicasKnob, 1);

    public Uri Url(Service service, int replica) => new($"http://127.0.0.1:{Ports.Of(service, replica)}/");

    public IReadOnlyList<Uri> Urls(Service service) => [.. Enumerable.Range(0, Replicas(service)).Select(replica => Url(service, replica))];

    public IEnumerable<(Service Service, int Replica)> AllReplicas =>
        Service.All.SelectMany(service => Enumerable.Range(0, Replicas(service)).Select(replica => (service, replica)));

    public IEnumerable<(string Name, int Port)> AllPorts =>
        AllReplicas.Select(it => ($"{it.Service.Project} {it.Replica}", Ports.Of(it.Service, it.Replica)))
            .Prepend(("Redis", Ports.Redis)).Prepend(("the broker", Ports.Broker));

    /// <summary>Configuration of the broker process, as environment variables.</summary>
    public IReadOnlyDictionary<string, string> BrokerSettings(string configFile)
    {
        var settings = new Dictionary<string, string>
        {
            ["ServiceBus:Port"] = Text(Ports.Broker),
            ["ServiceBus:ConfigFile"] = configFile,
            ["ServiceBus:Seed"] = Text(Seed),
        };
        AddLatency(settings, "broker", "ServiceBus:SettlementLatency");
        return ProcessSettings.From(settings);
    }

    /// <summary>Configuration of one replica, as environment variables.</summary>
    public IReadOnlyDictionary<string, string> Settings(Service service, int replica)
    {
        var settings = new Dictionary<string, string>(Knobs.SettingsFor(service.Name))
        {
            ["ASPNETCORE_URLS"] = Url(service, replica).ToString().TrimEnd('/'),
        };
        if (service == Service.Ingestion || service == Service.Workflow)
        {
            settings["ServiceBus:ConnectionString"] = BrokerConnectionString;
            settings["ServiceBus:QueueName"] = BrokerCounters.QueueName;
        }

        foreach (var called in service.Calls.Where(called => Replicas(called) > 0))
            settings[$"Services:{called.Name}:File"] = BackendAddresses.FileOf(this, called);
        if (service == Service.Workflow)
            settings["Emulation:TellsWhenSent"] = Environment.Latency.Count > 0 ? "true" : "false";
        else if (service == Service.Delivery)
            settings["Redis:ConnectionString"] = RedisConnectionString;
        else if (service != Service.Ingestion)
            settings["Database:ConnectionString"] = $"Data Source={Path.Combine(Data, service.Name + ".db")}";
        AddLatency(settings, service.Name, "Emulation:Latency");
        settings["Emulation:Seed"] = Text(Seed + replica);
        foreach (var (key, value) in TelemetrySettings.Of(TelemetryConnectionString, $"{service.Name}-{replica}"))
            settings[key] = value;
        return ProcessSettings.From(settings);
    }

    private void AddLatency(Dictionary<string, string> settings, string process, string section)
    {
        if (!Environment.Latency.TryGetValue(process, out var latency))
            return;
        settings[$"{section}:Mu"] = Text(latency.Mu);
        settings[$"{section}:Sigma"] = Text(latency.Sigma);
    }

    private static string Text(double number) => number.ToString(CultureInfo.InvariantCulture);
}
