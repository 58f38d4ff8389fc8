using System.Collections.Concurrent;
using System.Threading.Channels;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The running application: what stores, and the replicas of the services, each a process of its own.</summary>
internal sealed class Application : IAsyncDisposable
{
    // Together less than `lab down` waits: a process that is frozen does not even learn that it should end.
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan PatienceWithStores = TimeSpan.FromSeconds(3),
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

    /// <summary>Completes when the first process ends by itself.</summary>
    public Task<CrashException> Crashed => _crash.Task;

    /// <summary>Every process that ended by itself.</summary>
    public ChannelReader<CrashException> Crashes => _crashes.Reader;

    /// <summary>Starts everything and waits until all of it is ready. What was started is stopped again when something fails.</summary>
    public static async Task<Application> StartAsync(
        ApplicationPlan plan,
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        var application = await StartStoresAsync(plan, progress, cancellationToken);
        return await application.OrNothingAsync(application.ApplyAsync(plan, progress, cancellationToken));
    }

    /// <summary>Starts broker and Redis alone.</summary>
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
        return await application.OrNothingAsync(application.StartStoresAsync(redis, progress, cancellationToken));
    }

    /// <summary>What was started is stopped again if something fails.</summary>
    private async Task<Application> OrNothingAsync(Task start)
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

    /// <summary>
    /// Makes the replicas those of another plan: starts what is missing, stops what is too many and starts anew what has other settings.
    /// The rest goes on running, as do broker and Redis.
    /// </summary>
    /// <returns>The replicas that were started.</returns>
    public async Task<IReadOnlyList<(Service Service, int Replica)>> ApplyAsync(
        ApplicationPlan plan,
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        Place(plan);
        var wanted = plan.AllReplicas.ToDictionary(
            it => it.Service.NameOf(it.Replica),
            it => (it.Service, it.Replica, Settings: SettingsOf(plan, it.Service, it.Replica))
        );
        await StopAsync(
            _replicas.Where(it => !it.Value.Runs(wanted.GetValueOrDefault(it.Key).Settings)).Select(it => it.Key)
        );
        Plan = plan;
        BackendAddresses.Write(plan);
        var missing = wanted.Where(it => !_replicas.ContainsKey(it.Key)).Select(it => it.Value).ToList();
        Ports.EnsureFree(
            missing.Select(it => ($"{it.Service.Project} {it.Replica}", plan.Ports.Of(it.Service, it.Replica)))
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
            missing.Select(it => _replicas[it.Service.NameOf(it.Replica)].ReadyAsync(readiness, cancellationToken))
        );
        return [.. missing.Select(it => (it.Service, it.Replica))];
    }

    /// <summary>Everything that runs now: broker, Redis and the replicas.</summary>
    public IReadOnlyList<ChildProcess> Processes =>
        [.. _stores.Values.Select(store => store.Process), .. _replicas.Values.Select(replica => replica.Process)];

    public ChildProcess this[Service service, int replica] => _replicas[service.NameOf(replica)].Process;

    public ChildProcess? Find(string name) => _replicas.GetValueOrDefault(name)?.Process;

    public ChildProcess StoreOf(string name) => _stores[name].Process;

    public Uri UrlOf(string name)
    {
        var (service, replica) = Plan.AllReplicas.Single(it => it.Service.NameOf(it.Replica) == name);
        return Plan.Url(service, replica);
    }

    /// <summary>Stops the replicas of a service, so that what they held is settled or returns to the queue.</summary>
    public Task StopAsync(Service service) =>
        StopAsync(_replicas.Keys.Where(name => name.StartsWith(service.Name + "-", StringComparison.Ordinal)));

    public async ValueTask DisposeAsync()
    {
        // Those that use the broker and Redis first, so that none of them reports an outage that is only the end.
        await StopAsync(_replicas.Keys);
        await Task.WhenAll(_stores.Values.Select(store => store.Process.StopAsync(PatienceWithStores)));
        await Task.WhenAll(_watches);
        if (Nodes is not null)
            await Nodes.DisposeAsync();
        foreach (var store in _stores.Values)
            await store.Process.DisposeAsync();
        if (Directory.Exists(Plan.Data))
            Directory.Delete(Plan.Data, recursive: true);
    }

    /// <summary>Restarts a process that has ended, with the same settings, and waits until it is ready.</summary>
    /// <param name="cancellationToken">Ends the wait; the process goes on.</param>
    /// <exception cref="CrashException">It ended again before it was ready.</exception>
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
        await Task.WhenAll(stopped.Select(name => _replicas[name].Process.StopAsync(Patience)));
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
        // Ctrl-C reaches Redis too, and may end it before the lab has begun to stop things.
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

    /// <summary>A process that is started again as it was.</summary>
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
