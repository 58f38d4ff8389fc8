using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The processes of the application and their configuration.</summary>
/// <param name="Folder">The folder for <c>logs</c> and <c>data</c>.</param>
internal sealed record ApplicationPlan(
    string Folder,
    Ports Ports,
    KnobSet Knobs,
    DeclaredEnvironment Environment,
    int Seed
)
{
    /// <summary><c>null</c> turns telemetry off.</summary>
    public string? TelemetryConnectionString { get; init; }

    /// <summary>Additional services, one entry per replica.</summary>
    public IReadOnlyList<Service> With { get; init; } = [];

    /// <summary>Configuration by the name of a service or replica. Overrides the plan's own values.</summary>
    public IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Overrides { get; init; } =
        new Dictionary<string, IReadOnlyDictionary<string, string>>();

    /// <summary>The startup hook of a service, in addition to LabAgent.</summary>
    public IReadOnlyDictionary<string, string> StartupHooks { get; init; } = new Dictionary<string, string>();

    /// <summary>Whether messages survive a restart of the broker. The stages measure one that keeps them in memory.</summary>
    public bool KeepsMessages { get; init; }

    public string Logs => Path.Combine(Folder, "logs");

    public string Data => Path.Combine(Folder, "data");

    public Uri Broker => new($"http://127.0.0.1:{Ports.Broker}/");

    /// <summary>The connection string. The emulator's key is well known, not a secret.</summary>
    public string BrokerConnectionString =>
        $"Endpoint=sb://localhost:{Ports.Broker};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;"
        + "UseDevelopmentEmulator=true";

    public const string GatewayKeyHeader = "Ocp-Apim-Subscription-Key";

    public const string GatewayKey = "local-subscription-key";

    public string RedisConnectionString => $"127.0.0.1:{Ports.Redis}";

    public int Replicas(Service service) =>
        Service.All.Contains(service) ? service.Replicas(Knobs) : With.Count(other => other == service);

    public Uri Url(Service service, int replica) => new($"http://127.0.0.1:{Ports.Of(service, replica)}/");

    public IReadOnlyList<Uri> Urls(Service service) =>
        [.. Enumerable.Range(0, Replicas(service)).Select(replica => Url(service, replica))];

    public IEnumerable<(Service Service, int Replica)> AllReplicas =>
        from service in Service.All.Concat(With.Distinct())
        from replica in Enumerable.Range(0, Replicas(service))
        select (service, replica);

    public int AllProcesses => AllReplicas.Count() + 2;

    public IEnumerable<(string Name, int Port)> AllPorts =>
        [
            ("the broker", Ports.Broker),
            ("Redis", Ports.Redis),
            .. AllReplicas.Select(process =>
                ($"{process.Service.Project} {process.Replica}", Ports.Of(process.Service, process.Replica))
            ),
        ];

    public IReadOnlyDictionary<string, string> BrokerSettings(string configFile)
    {
        var settings = new Dictionary<string, string>
        {
            ["ServiceBus:Port"] = $"{Ports.Broker}",
            ["ServiceBus:ConfigFile"] = configFile,
            ["Emulation:Seed"] = $"{Seed}",
        };
        if (KeepsMessages)
            settings["ServiceBus:DataFolder"] = Path.Combine(Data, "broker");
        AddLatency(settings, "broker");
        return ProcessSettings.From(settings);
    }

    public IReadOnlyDictionary<string, string> Settings(Service service, int replica)
    {
        var settings = new Dictionary<string, string>(Knobs.SettingsFor(service.Name))
        {
            ["ASPNETCORE_URLS"] = Url(service, replica).ToString().TrimEnd('/'),
        };
        foreach (var called in service.Calls.Where(called => Replicas(called) > 0))
            settings[$"services:{called.Name}:file"] = BackendAddresses.FileOf(this, called);
        AddOwn(settings, service);
        AddLatency(settings, service.Name);
        settings["Emulation:Seed"] = $"{Seed + replica}";
        if (TelemetryConnectionString is not null)
        {
            settings["APPLICATIONINSIGHTS_CONNECTION_STRING"] = TelemetryConnectionString;
            settings["Telemetry:RoleInstance"] = service.NameOf(replica);
        }

        foreach (var name in new[] { service.Name, service.NameOf(replica) })
        {
            foreach (var (key, value) in Overrides.GetValueOrDefault(name) ?? new Dictionary<string, string>())
                settings[key] = value;
        }
        return ProcessSettings.From(settings);
    }

    private void AddOwn(Dictionary<string, string> settings, Service service)
    {
        if (service == Service.Ingestion || service == Service.Workflow)
        {
            settings["ServiceBus:ConnectionString"] = BrokerConnectionString;
            settings["ServiceBus:QueueName"] = BrokerCounters.QueueName;
        }
        if (service == Service.Workflow)
            settings["Emulation:TellsWhenSent"] = Environment.Latency.Count > 0 ? "true" : "false";
        if (service == Service.Delivery)
            settings["Redis:ConnectionString"] = RedisConnectionString;
        if (service == Service.Package || service == Service.DroneScheduler)
            settings["Database:ConnectionString"] = $"Data Source={Path.Combine(Data, service.Name + ".db")}";
        if (service == Service.Gateway)
            AddGateway(settings);
    }

    private void AddGateway(Dictionary<string, string> settings)
    {
        settings["Gateway:Keys:local"] = GatewayKey;
        foreach (var (number, url) in Urls(Service.Ingestion).Index())
            settings[$"ReverseProxy:Clusters:ingestion:Destinations:{number}:Address"] = url.ToString();
    }

    private void AddLatency(Dictionary<string, string> settings, string process)
    {
        if (!Environment.Latency.TryGetValue(process, out var latency))
            return;
        settings["Emulation:Latency:Mu"] = $"{latency.Mu}";
        settings["Emulation:Latency:Sigma"] = $"{latency.Sigma}";
    }
}

internal static class StageApplication
{
    extension(StagePlan stage)
    {
        public ApplicationPlan Application =>
            new(stage.Options.Folder, stage.Options.Ports, stage.Knobs, stage.Environment, stage.Options.Seed);
    }
}
