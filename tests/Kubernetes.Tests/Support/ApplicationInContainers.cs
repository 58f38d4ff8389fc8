using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Testing;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// The application of a rendered chart in containers: a pod per workload, with the settings, files, and volumes of the
/// chart. The pods share the network of this machine, so the test assigns their ports and their addresses for each
/// other.
/// </summary>
internal sealed class ApplicationInContainers : IAsyncDisposable
{
    /// <summary>The project of each workload, except Redis.</summary>
    private static readonly IReadOnlyList<(string Workload, string Project)> Projects =
    [
        .. Service.All.Select(service => (service.Name, service.Project)),
        ("servicebus", "ServiceBus"),
        ("telemetry", "Lab"),
    ];

    // Long enough for containers that start while other suites run, so only a hanging one fails.
    private static readonly TimeSpan StartLimit = TimeSpan.FromMinutes(5);

    private readonly Podman _podman;
    private readonly Dictionary<string, Relay> _services = [];
    private readonly Dictionary<string, ContainerPod> _pods = [];
    private readonly List<ReservedPort> _ports = [];
    private string _manifests;

    private ApplicationInContainers(string manifests) => (_manifests, _podman) = (manifests, new(manifests));

    public IReadOnlyDictionary<string, ContainerPod> Pods => _pods;

    public HttpClient Http { get; } = Loopback.CreateClient();

    /// <summary>Builds the images, starts a pod for each workload, and waits until all are ready.</summary>
    public static async Task<ApplicationInContainers> StartAsync(string manifests)
    {
        var application = new ApplicationInContainers(manifests);
        try
        {
            await application.BuildAsync();
            var workloads = Projects.Select(project => project.Workload).Append("redis").ToList();
            foreach (var workload in workloads)
                application._services[workload] = new(target: 0);
            foreach (var workload in workloads)
                application._pods[workload] = await application.StartPodAsync(workload);
            await Task.WhenAll(workloads.Select(application.ServeAsync));
            return application;
        }
        catch
        {
            await application.DisposeAsync();
            throw;
        }
    }

    public Uri Url(string workload) => new($"http://127.0.0.1:{_services[workload].Port}/");

    public Task<BrokerCounters> CountersAsync() =>
        BrokerCounters.ReadAsync(Http, Url("servicebus"), TestContext.Current.CancellationToken);

    public Task<bool> IsRunningAsync(string workload) => _podman.IsRunningAsync(_pods[workload].Container);

    public Task KillAsync(string workload) => _podman.KillAsync(_pods[workload].Container);

    /// <summary>Starts another container in the same pod, on its volumes, and waits until it is ready.</summary>
    public async Task RestartAsync(string workload)
    {
        var pod = _pods[workload];
        _pods[workload] = pod with { Container = await RunAsync(workload, pod.Port) };
        await ServeAsync(workload);
    }

    /// <summary>Replaces the pods whose template differs, one after the other.</summary>
    /// <returns>The workloads that were replaced.</returns>
    public async Task<IReadOnlyList<string>> UpgradeAsync(string manifests)
    {
        var former = _manifests;
        var changed = _pods
            .Keys.Where(workload =>
                !JsonNode.DeepEquals(
                    Manifests.PodTemplate(former, workload),
                    Manifests.PodTemplate(manifests, workload)
                )
            )
            .ToList();
        _manifests = manifests;
        _podman.Apply(manifests);
        foreach (var workload in changed)
        {
            await _podman.TagAsync(Manifests.Image(former, workload), workload);
            await ReplaceAsync(workload);
        }
        return changed;
    }

    public async ValueTask DisposeAsync()
    {
        await _podman.DisposeAsync();
        foreach (var service in _services.Values)
            await service.DisposeAsync();
        _ports.ForEach(port => port.Dispose());
        Http.Dispose();
    }

    private async Task BuildAsync()
    {
        using var own = new OwnFolder();
        var root = Path.Combine(own.Path, "redis.tar");
        await RedisImage.WriteAsync(root);
        await _podman.ImportAsync("redis", root);
        await using var registry = await BaseImageRegistry.StartAsync(BaseImage.OfThisMachine());
        foreach (var (workload, project) in Projects)
            await _podman.BuildAsync(workload, project, registry.Image);
    }

    /// <summary>
    /// Starts the next pod before the previous one ends, like the strategy of the services (maxSurge 1, maxUnavailable
    /// 0).
    /// </summary>
    private async Task ReplaceAsync(string workload)
    {
        var strategy = Manifests.Find(_manifests, "Deployment", workload)["spec"]!["strategy"]!;
        Assert.Equal((workload, "RollingUpdate"), (workload, $"{strategy["type"]}"));
        var former = _pods[workload];
        _pods[workload] = await StartPodAsync(workload);
        await ServeAsync(workload);
        if (Manifests.Container(_manifests, workload)["lifecycle"]?["preStop"]?["sleep"]?["seconds"] is { } seconds)
        {
            var preStop = TimeSpan.FromSeconds(int.Parse($"{seconds}", provider: null));
            await Task.Delay(preStop, TestContext.Current.CancellationToken);
        }
        Assert.Equal((workload, 0), (workload, await _podman.StopAsync(former.Container, workload)));
    }

    private async Task<ContainerPod> StartPodAsync(string workload)
    {
        var port = new ReservedPort();
        _ports.Add(port);
        return new(await RunAsync(workload, port.Number), port.Number);
    }

    private Task<string> RunAsync(string workload, int port)
    {
        var container = Manifests.Container(_manifests, workload);
        var environment = Manifests
            .Environment(container)
            .ToDictionary(variable => variable.Key, variable => OnThisMachine(workload, port, variable.Value));
        if (workload == "servicebus")
            environment["ServiceBus__Port"] = $"{port}";
        foreach (var service in Service.All)
            environment[$"services__{service.Name}__http__0"] = $"{Url(service.Name)}".TrimEnd('/');
        var arguments = Manifests.Arguments(container).Select(argument => OnThisMachine(workload, port, argument));
        return _podman.RunAsync(workload, environment, arguments);
    }

    // In a cluster, each pod has its own network, and DNS resolves the names of Services.
    private string OnThisMachine(string workload, int port, string value) =>
        workload == "redis"
            ? value.Replace("6379", $"{port}", StringComparison.Ordinal)
            : value
                .Replace("http://+:8080", $"http://127.0.0.1:{port}", StringComparison.Ordinal)
                .Replace("--port=5080", $"--port={port}", StringComparison.Ordinal)
                .Replace("servicebus:5672", $"localhost:{_services["servicebus"].Port}", StringComparison.Ordinal)
                .Replace("telemetry:5080", $"localhost:{_services["telemetry"].Port}", StringComparison.Ordinal)
                .Replace("redis:6379", $"localhost:{_services["redis"].Port}", StringComparison.Ordinal);

    /// <summary>Routes the Service to the pod as soon as the pod is ready.</summary>
    private async Task ServeAsync(string workload)
    {
        var pod = _pods[workload];
        try
        {
            await Eventually.TrueAsync(() => IsReadyAsync(workload, pod), StartLimit, $"{workload} is ready");
        }
        catch (Exception exception)
        {
            throw new InvalidOperationException(await _podman.LogAsync(pod.Container), exception);
        }
        _services[workload].Target = pod.Port;
    }

    private async Task<bool> IsReadyAsync(string workload, ContainerPod pod)
    {
        var probe = Manifests.Container(_manifests, workload)["readinessProbe"]!;
        if (probe["exec"]?["command"] is { } command)
        {
            var words = command.AsArray().Select(word => OnThisMachine(workload, pod.Port, $"{word}"));
            return await _podman.ExecAsync(pod.Container, words);
        }
        try
        {
            var address = new Uri($"http://127.0.0.1:{pod.Port}{probe["httpGet"]!["path"]}");
            using var response = await Http.GetAsync(address, TestContext.Current.CancellationToken);
            return response.IsSuccessStatusCode;
        }
        catch (Exception exception)
            when (exception is HttpRequestException or TaskCanceledException { InnerException: TimeoutException })
        {
            return false;
        }
    }
}

internal sealed record ContainerPod(string Container, int Port);
