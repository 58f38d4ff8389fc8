using System.IO.Compression;
using System.Net;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Testing;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// The processes of a rendered chart on this machine. Each one gets the environment of its container, and replacements
/// for everything that a cluster provides outside of the pod: DNS names, ports that don't collide, and folders for
/// mounted volumes.
/// </summary>
internal sealed class ChartOnThisMachine : IAsyncDisposable
{
    private const string Collector = "telemetry";

    // Longer than all services need to start together while three suites run, so only a hanging one fails.
    private static readonly TimeSpan StartLimit = TimeSpan.FromMinutes(5);

    private readonly string _manifests,
        _folder = Directory.CreateTempSubdirectory("chart").FullName;
    private readonly Func<string, string> _assembly;
    private readonly Dictionary<string, Dictionary<string, string>> _more;
    private readonly RedisFixture _redis;
    private readonly Dictionary<string, int> _ports = [];
    private readonly List<ReservedPort> _reserved = [];
    private readonly List<Replica> _replicas = [];

    private ChartOnThisMachine(
        string manifests,
        Func<string, string> assembly,
        Dictionary<string, Dictionary<string, string>> more,
        RedisFixture redis
    ) => (_manifests, _assembly, _more, _redis) = (manifests, assembly, more, redis);

    public string Folder => _folder;

    public HttpClient Http { get; } = Loopback.CreateClient();

    public IReadOnlyList<Replica> Replicas => _replicas;

    /// <summary>Starts one process per workload, and waits until each is ready by its own probes.</summary>
    /// <param name="assembly">Maps a project to the path of its assembly.</param>
    /// <param name="more">Additional variables per workload.</param>
    public static async Task<ChartOnThisMachine> StartAsync(
        string manifests,
        Func<string, string> assembly,
        Dictionary<string, Dictionary<string, string>>? more = null
    )
    {
        var redis = await RedisFixture.StartAsync(TestContext.Current.CancellationToken);
        var chart = new ChartOnThisMachine(manifests, assembly, more ?? [], redis);
        try
        {
            // The names must be known before the first process starts.
            var services = Service.All.Concat(Service.Optional.Where(service => chart.Has(service.Name))).ToList();
            foreach (var workload in new[] { "servicebus", Collector }.Concat(services.Select(service => service.Name)))
            {
                chart._ports[workload] = chart.Reserve();
            }

            await chart.ReadyAsync(chart.Start("servicebus", "ServiceBus", chart._ports["servicebus"]));
            if (chart.Has(Collector))
                chart.Start(Collector, "Lab", chart._ports[Collector]);
            foreach (var service in services)
                chart.Start(service.Name, service.Project, chart._ports[service.Name]);
            await Task.WhenAll(chart._replicas.Select(chart.ReadyAsync));
            return chart;
        }
        catch
        {
            await chart.DisposeAsync();
            throw;
        }
    }

    public Uri Url(string workload) => new($"http://127.0.0.1:{_ports[workload]}/");

    /// <summary>Starts another replica of a service that others do not call by name.</summary>
    public async Task<Replica> AddAsync(Service service)
    {
        var replica = Start(service.Name, service.Project, Reserve());
        await ReadyAsync(replica);
        return replica;
    }

    /// <summary>Stops a replica as a node does: SIGTERM, and SIGKILL after its grace period.</summary>
    public async Task<int> StopAsync(Replica replica)
    {
        var grace = int.Parse(
            Manifests.Pod(_manifests, replica.Workload)["terminationGracePeriodSeconds"]!.ToString(),
            provider: null
        );
        await replica.Process.StopAsync(TimeSpan.FromSeconds(grace));
        return await replica.Process.Ended;
    }

    /// <summary>Sends a probe of the chart as the kubelet does.</summary>
    public async Task<HttpStatusCode> ProbeAsync(Replica replica, string probe)
    {
        var get = Manifests.Container(_manifests, replica.Workload)[probe]!["httpGet"]!;
        Assert.Equal("main", get["port"]!.ToString());
        var address = new Uri($"http://127.0.0.1:{replica.Port}{get["path"]}");
        using var response = await Http.GetAsync(address, TestContext.Current.CancellationToken);
        return response.StatusCode;
    }

    public Task<IReadOnlyList<Journey>> SendAsync(int count, int callers) =>
        new Journeys(Http, TimeProvider.System, [Url("ingestion")]).SendAsync(
            count,
            callers,
            TimeSpan.FromSeconds(60),
            TestContext.Current.CancellationToken
        );

    public async Task<QueueCounters> QueueAsync() =>
        (await BrokerCounters.ReadAsync(Http, Url("servicebus"), TestContext.Current.CancellationToken)).Queue;

    public async Task<string> TelemetryAsync()
    {
        await using var compressed = await Http.GetStreamAsync(
            new Uri(Url(Collector), "telemetry.ndjson.gz"),
            TestContext.Current.CancellationToken
        );
        using var reader = new StreamReader(new GZipStream(compressed, CompressionMode.Decompress));
        return await reader.ReadToEndAsync(TestContext.Current.CancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var replica in Enumerable.Reverse(_replicas))
            await replica.Process.DisposeAsync();
        await _redis.DisposeAsync();
        _reserved.ForEach(port => port.Dispose());
        Http.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private Replica Start(string workload, string project, int port)
    {
        var container = Manifests.Container(_manifests, workload);
        var environment = Manifests
            .Environment(container)
            .ToDictionary(variable => variable.Key, variable => Here(workload, port, variable.Value));
        if (container["volumeMounts"]!.AsArray().Any(mount => mount!["name"]!.ToString() == "files"))
            WriteFiles(workload);
        if (workload == "servicebus")
            environment["ServiceBus__Port"] = $"{port}";
        foreach (var (name, servicePort) in _ports.Where(it => it.Key is not ("servicebus" or Collector or "workflow")))
        {
            environment[$"services__{name}__http__0"] = $"http://127.0.0.1:{servicePort}";
        }

        if (workload == "gateway")
        {
            environment["ReverseProxy__Clusters__ingestion__Destinations__0__Address"] =
                $"http://127.0.0.1:{_ports["ingestion"]}";
        }

        foreach (var (name, value) in _more.GetValueOrDefault(workload) ?? [])
            environment[name] = value;
        var assembly = _assembly(project);
        var log = Path.Combine(_folder, $"{workload}-{_replicas.Count}.log");
        var arguments = Manifests.Arguments(container).Select(argument => Here(workload, port, argument));
        var process = ChildProcess.Start(
            workload,
            log,
            Path.GetDirectoryName(assembly)!,
            environment,
            [Lab.Repository.Dotnet, assembly, .. arguments]
        );
        _replicas.Add(new(workload, port, process));
        return _replicas[^1];
    }

    private bool Has(string workload) =>
        _manifests.Contains($"serviceAccountName: {workload}\n", StringComparison.Ordinal);

    // Replaces DNS, the container's own network, and the volumes.
    private string Here(string workload, int port, string value) =>
        value
            .Replace("http://+:8080", $"http://127.0.0.1:{port}", StringComparison.Ordinal)
            .Replace("sb://servicebus:5672", $"sb://localhost:{_ports["servicebus"]}", StringComparison.Ordinal)
            .Replace("http://servicebus:5672", $"http://127.0.0.1:{_ports["servicebus"]}", StringComparison.Ordinal)
            .Replace("http://telemetry:5080", $"http://127.0.0.1:{_ports[Collector]}", StringComparison.Ordinal)
            .Replace("--port=5080", $"--port={port}", StringComparison.Ordinal)
            .Replace("--folder=/data", $"--folder={MountPoint(workload, "data")}", StringComparison.Ordinal)
            .Replace("redis:6379", _redis.ConnectionString, StringComparison.Ordinal)
            .Replace("/data/", MountPoint(workload, "data"), StringComparison.Ordinal)
            .Replace("/files/", MountPoint(workload, "files"), StringComparison.Ordinal);

    private void WriteFiles(string workload)
    {
        foreach (var (name, content) in Manifests.Find(_manifests, "ConfigMap", workload)["data"]!.AsObject())
            File.WriteAllText(MountPoint(workload, "files") + name, content!.ToString());
    }

    private string MountPoint(string workload, string volume) =>
        Directory.CreateDirectory(Path.Combine(_folder, workload, volume)).FullName + Path.DirectorySeparatorChar;

    private async Task ReadyAsync(Replica replica)
    {
        await Eventually.TrueAsync(
            async () =>
            {
                if (replica.Process.Ended.IsCompleted)
                    Assert.Fail($"{replica.Workload} ended: {File.ReadAllText(replica.Process.Log)}");
                return await AnswersAsync(replica);
            },
            StartLimit,
            $"{replica.Workload} is ready"
        );
    }

    private async Task<bool> AnswersAsync(Replica replica)
    {
        try
        {
            return await ProbeAsync(replica, "startupProbe") == HttpStatusCode.OK
                && await ProbeAsync(replica, "readinessProbe") == HttpStatusCode.OK;
        }
        catch (Exception exception)
            when (exception is HttpRequestException or TaskCanceledException { InnerException: TimeoutException })
        {
            return false;
        }
    }

    private int Reserve()
    {
        var port = new ReservedPort();
        _reserved.Add(port);
        return port.Number;
    }
}

internal sealed record Replica(string Workload, int Port, ChildProcess Process);
