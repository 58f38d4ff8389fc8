using System.Collections.Concurrent;
using System.Threading.Channels;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The running application: broker, Redis and service replicas, each a process.</summary>
internal sealed class Application : IAsyncDisposable
{
    // Together less than the timeout of `lab down`: a suspended process never handles SIGTERM.
    internal static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan StoreStopTimeout = TimeSpan.FromSeconds(3),
        CtrlCTakes = TimeSpan.FromMilliseconds(500);
    private readonly ConcurrentDictionary<string, Part> _stores = new(),
        _replicas = new();
    private readonly TaskCompletionSource<CrashException> _crash = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private readonly Channel<CrashException> _crashes = Channel.CreateUnbounded<CrashException>();
    private readonly ConcurrentBag<Task> _watches = [];

    private Application(ApplicationPlan plan) =>
        (Plan, Nodes) = (plan, plan.Environment.Nodes is null ? null : new(TimeProvider.System));

    public ApplicationPlan Plan { get; private set; }

    public VirtualNodes? Nodes { get; }

    public Task<CrashException> Crashed => _crash.Task;

    public ChannelReader<CrashException> Crashes => _crashes.Reader;

    /// <summary>Starts everything and waits until it is ready; on failure, stops it.</summary>
    public static async Task<Application> StartAsync(
        ApplicationPlan plan,
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        var application = await StartStoresAsync(plan, progress, cancellationToken);
        return await application.StopOnFailureAsync(application.ApplyAsync(plan, progress, cancellationToken));
    }

    public static async Task<Application> StartStoresAsync(
        ApplicationPlan plan,
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        var redis = RedisServer.Find();
        Ports.EnsureFree(plan.AllPorts);
        Directory.CreateDirectory(plan.Logs);
        Directory.CreateDirectory(plan.Data);
        var application = new Application(plan);
        return await application.StopOnFailureAsync(application.StartStoresAsync(redis, progress, cancellationToken));
    }

    /// <summary>Stops what was started if the start fails.</summary>
    private async Task<Application> StopOnFailureAsync(Task start)
    {
        try
        {
            await start;
            return this;
        }
        catch
        {
            await DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts missing replicas, stops surplus ones, and restarts those whose settings changed.</summary>
    public async Task<IReadOnlyList<(Service Service, int Replica)>> ApplyAsync(
        ApplicationPlan plan,
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        Place(plan);
        var wanted = plan.AllReplicas.ToDictionary(
            process => process.Service.NameOf(process.Replica),
            process => (process.Service, process.Replica, Settings: SettingsOf(plan, process.Service, process.Replica))
        );
        await StopAsync(
            _replicas
                .Where(running => !running.Value.Runs(wanted.GetValueOrDefault(running.Key).Settings))
                .Select(running => running.Key)
        );
        Plan = plan;
        BackendAddresses.Write(plan);
        var missing = wanted
            .Where(process => !_replicas.ContainsKey(process.Key))
            .Select(process => process.Value)
            .ToList();
        Ports.EnsureFree(
            missing.Select(process =>
                ($"{process.Service.Project} {process.Replica}", plan.Ports.Of(process.Service, process.Replica))
            )
        );
        using var readiness = new Readiness(Crashed, progress, all: missing.Count);
        foreach (var it in missing)
        {
            var (name, url) = (it.Service.NameOf(it.Replica), plan.Url(it.Service, it.Replica));
            _replicas[name] = Begin(name, it.Settings, Command(it.Service.Project), (wait, process, token) =>
                wait.WaitAsync(process, url, token)
            );
        }

        await Task.WhenAll(
            missing.Select(process =>
                _replicas[process.Service.NameOf(process.Replica)].ReadyAsync(readiness, cancellationToken)
            )
        );
        return [.. missing.Select(process => (process.Service, process.Replica))];
    }

    /// <summary>All processes: broker, Redis and the replicas.</summary>
    public IReadOnlyList<ChildProcess> Processes =>
        [.. _stores.Values.Select(store => store.Process), .. _replicas.Values.Select(replica => replica.Process)];

    public ChildProcess this[Service service, int replica] => _replicas[service.NameOf(replica)].Process;

    public ChildProcess? Find(string name) => _replicas.GetValueOrDefault(name)?.Process;

    public ChildProcess StoreOf(string name) => _stores[name].Process;

    public Uri UrlOf(string name)
    {
        var (service, replica) = Plan.AllReplicas.Single(process => process.Service.NameOf(process.Replica) == name);
        return Plan.Url(service, replica);
    }

    /// <summary>Stops the replicas of a service, so their messages are settled or return to the queue.</summary>
    public Task StopAsync(Service service) =>
        StopAsync(_replicas.Keys.Where(name => name.StartsWith(service.Name + "-", StringComparison.Ordinal)));

    public async ValueTask DisposeAsync()
    {
        // Clients of the broker and Redis stop first, so none of them reports an outage.
        await StopAsync(_replicas.Keys);
        await Task.WhenAll(_stores.Values.Select(store => store.Process.StopAsync(StoreStopTimeout)));
        await Task.WhenAll(_watches);
        if (Nodes is not null)
            await Nodes.DisposeAsync();
        foreach (var store in _stores.Values)
            await store.Process.DisposeAsync();
        if (Directory.Exists(Plan.Data))
            Directory.Delete(Plan.Data, recursive: true);
    }

    /// <summary>Restarts an exited process with the same settings, and waits until it is ready.</summary>
    /// <param name="cancellationToken">Cancels only the wait.</param>
    /// <exception cref="CrashException">It exited again before it was ready.</exception>
    public async Task RestartAsync(string name, CancellationToken cancellationToken)
    {
        var parts = _stores.ContainsKey(name) ? _stores : _replicas;
        await parts[name].Process.DisposeAsync();
        var part = parts[name] = parts[name] with { Process = parts[name].Start() };
        using var readiness = new Readiness(part.Process.CrashAsync(), new Progress<(int, int)>(), all: 1);
        await part.ReadyAsync(readiness, cancellationToken);
    }

    private void Place(ApplicationPlan plan)
    {
        if (plan.Environment.Nodes?.With(plan.Knobs) is { } declared)
            Nodes?.Place(declared, Placement.Of(declared, plan.Knobs, Nodes.Placement, plan.Seed));
    }

    private Dictionary<string, string> SettingsOf(ApplicationPlan plan, Service service, int replica)
    {
        var settings = plan.Settings(service, replica).ToDictionary();
        var hook = plan.StartupHooks.TryGetValue(service.Name, out var project)
            ? Path.PathSeparator + Built(project)
            : "";
        settings[ProcessSettings.StartupHooks] = Built("LabAgent") + hook;
        foreach (var (key, value) in Nodes?.SettingsFor(service, replica) ?? new Dictionary<string, string>())
            settings[ProcessSettings.Variable(key)] = value;
        return settings;
    }

    private async Task StopAsync(IEnumerable<string> names)
    {
        var stopped = names.ToList();
        await Task.WhenAll(stopped.Select(name => _replicas[name].Process.StopAsync(StopTimeout)));
        foreach (var name in stopped)
        {
            await _replicas[name].Process.DisposeAsync();
            _replicas.TryRemove(name, out _);
        }
    }

    private async Task StartStoresAsync(
        string redis,
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        using var readiness = new Readiness(Crashed, progress, all: 2);
        var config = BrokerConfig.Write(Plan);
        _stores["redis"] = Begin(
            "redis",
            ProcessSettings.From([]),
            RedisServer.Command(redis, Plan.Ports.Redis, Plan.Knobs.Number("redis.maxMemory", 0)),
            (wait, process, token) =>
                wait.WaitAsync(process, asked => Ports.AcceptsAsync(Plan.Ports.Redis, asked), token)
        );
        _stores["broker"] = Begin(
            "broker",
            Plan.BrokerSettings(config),
            Command("ServiceBus"),
            (wait, process, token) => wait.WaitAsync(process, Plan.Broker, token)
        );
        await Task.WhenAll(_stores.Values.Select(store => store.ReadyAsync(readiness, cancellationToken)));
    }

    private Part Begin(
        string name,
        IReadOnlyDictionary<string, string> settings,
        IEnumerable<string> command,
        Func<Readiness, ChildProcess, CancellationToken, Task> wait
    )
    {
        return new(Start(), Start, wait, settings);

        ChildProcess Start() => this.Start(name, settings, command);
    }

    private ChildProcess Start(
        string name,
        IReadOnlyDictionary<string, string> environment,
        IEnumerable<string> command
    )
    {
        var process = ChildProcess.Start(name, Path.Combine(Plan.Logs, name + ".log"), Plan.Data, environment, command);
        _watches.Add(WatchAsync(process));
        return process;
    }

    private async Task WatchAsync(ChildProcess process)
    {
        var crash = await process.CrashAsync();
        // Ctrl-C also reaches Redis, which can exit first.
        if (!process.IsStopping)
            await Task.Delay(CtrlCTakes);
        if (process.IsStopping)
            return;
        _crash.TrySetResult(crash);
        _crashes.Writer.TryWrite(crash);
    }

    private static IEnumerable<string> Command(string project) => [Repository.Dotnet, Built(project)];

    private static string Built(string project)
    {
        var assembly = Repository.Assembly(project);
        return File.Exists(assembly)
            ? assembly
            : throw new LabException(
                $"{assembly} is missing: build it with `dotnet build loadtest/lab.slnf -c Release`."
            );
    }

    private sealed record Part(
        ChildProcess Process,
        Func<ChildProcess> Start,
        Func<Readiness, ChildProcess, CancellationToken, Task> WaitAsync,
        IReadOnlyDictionary<string, string> Settings
    )
    {
        public Task ReadyAsync(Readiness readiness, CancellationToken cancellationToken) =>
            WaitAsync(readiness, Process, cancellationToken);

        public bool Runs(Dictionary<string, string>? settings) =>
            settings is not null
            && !Process.Ended.IsCompleted
            && settings.Count == Settings.Count
            && settings.All(Settings.Contains);
    }
}
