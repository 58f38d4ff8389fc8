using System.Threading.Channels;

namespace DroneDelivery.Lab.Processes;

/// <summary>The running application: broker, Redis and the replicas of the five services, each a process of its own.</summary>
internal sealed class Application : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10), CtrlCTakes = TimeSpan.FromMilliseconds(500);
    private readonly List<ChildProcess> _processes = [];
    private readonly TaskCompletionSource<CrashException> _crash = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Channel<CrashException> _crashes = Channel.CreateUnbounded<CrashException>();
    private readonly List<Task> _watches = [];

    private Application(ApplicationPlan plan) => Plan = plan;

    public ApplicationPlan Plan { get; }

    public IReadOnlyList<ChildProcess> Processes => _processes;

    /// <summary>Completes when the first process ends by itself.</summary>
    public Task<CrashException> Crashed => _crash.Task;

    /// <summary>Every process that ended by itself.</summary>
    public ChannelReader<CrashException> Crashes => _crashes.Reader;

    /// <summary>Starts everything and waits until all of it is ready. What was started is stopped again when something fails.</summary>
    /// <param name="progress">Told how many are ready, out of how many.</param>
    /// <exception cref="LabException">A port is in use, Redis is missing, a process ended or did not become ready.</exception>
    public static async Task<Application> StartAsync(ApplicationPlan plan, IProgress<(int Ready, int All)> progress, CancellationToken cancellationToken)
    {
        var redis = RedisServer.Find();
        Ports.EnsureFree(plan.AllPorts);
        Directory.CreateDirectory(plan.Logs);
        Directory.CreateDirectory(plan.Data);
        var application = new Application(plan);
        try
        {
            await application.StartAsync(redis, progress, cancellationToken);
            return application;
        }
        catch
        {
            await application.DisposeAsync();
            throw;
        }
    }

    /// <summary>The process of one replica.</summary>
    public ChildProcess this[Service service, int replica] => _processes.First(process => process.Name == service.NameOf(replica));

    /// <summary>Stops the replicas of a service, so that what they held is settled or returns to the queue.</summary>
    public Task StopAsync(Service service) =>
        Task.WhenAll(_processes.Where(process => process.Name.StartsWith(service.Name + "-", StringComparison.Ordinal)).Select(process => process.StopAsync(Patience)));

    public async ValueTask DisposeAsync()
    {
        // Those that use the broker and Redis first, so that none of them reports an outage that is only the end.
        await Task.WhenAll(_processes.Skip(2).Select(process => process.StopAsync(Patience)));
        await Task.WhenAll(_processes.Take(2).Select(process => process.StopAsync(Patience)));
        await Task.WhenAll(_watches);
        foreach (var process in _processes)
            await process.DisposeAsync();
        if (Directory.Exists(Plan.Data))
            Directory.Delete(Plan.Data, recursive: true);
    }

    private async Task StartAsync(string redis, IProgress<(int Ready, int All)> progress, CancellationToken cancellationToken)
    {
        using var readiness = new Readiness(Crashed, progress, all: Plan.AllReplicas.Count() + 2);
        var redisProcess = Start("redis", ProcessSettings.From([]), RedisServer.Command(redis, Plan.Ports.Redis, Plan.Knobs.Number("redis.maxMemory", 0)));
        var broker = Start("broker", Plan.BrokerSettings(BrokerConfig.Write(Plan.Data, Plan.Knobs)), Command("ServiceBus"));
        await Task.WhenAll(
            readiness.WaitAsync(redisProcess, token => RedisServer.IsReadyAsync(Plan.Ports.Redis, token), cancellationToken),
            readiness.WaitAsync(broker, Plan.Broker, cancellationToken));
        var replicas = Plan.AllReplicas
            .Select(it => (it.Service, it.Replica, Process: Start(it.Service.NameOf(it.Replica), Plan.Settings(it.Service, it.Replica), Command(it.Service.Project))))
            .ToList();
        await Task.WhenAll(replicas.Select(it => readiness.WaitAsync(it.Process, Plan.Url(it.Service, it.Replica), cancellationToken)));
    }

    private ChildProcess Start(string name, IReadOnlyDictionary<string, string> environment, IEnumerable<string> command)
    {
        var process = ChildProcess.Start(name, Path.Combine(Plan.Logs, name + ".log"), Plan.Data, environment, command);
        _processes.Add(process);
        _watches.Add(WatchAsync(process));
        return process;
    }

    private async Task WatchAsync(ChildProcess process)
    {
        var exitCode = await process.Ended;
        // Ctrl-C reaches Redis too, and may end it before the lab has begun to stop things.
        if (!process.IsStopping)
            await Task.Delay(CtrlCTakes);
        if (process.IsStopping)
            return;
        var crash = new CrashException(process.Name, exitCode, process.Log);
        _crash.TrySetResult(crash);
        _crashes.Writer.TryWrite(crash);
    }

    private static IEnumerable<string> Command(string project)
    {
        var assembly = Repository.Assembly(project);
        return File.Exists(assembly)
            ? [Repository.Dotnet, assembly]
            : throw new LabException($"{assembly} is missing: build it with `dotnet build loadtest/lab.slnf -c Release`.");
    }
}
