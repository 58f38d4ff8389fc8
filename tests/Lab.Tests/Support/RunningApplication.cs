// Most tests mostly wait for a process.
[assembly: Xunit.v3.Parallelization(MaxThreads = 3)]

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Tests that measure the application. They run one at a time, after all others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class RealProcesses
{
    public const string Name = "real processes";
}

internal sealed class RunningApplication : IAsyncDisposable
{
    // A machine that stalls for some seconds must not look like an unresponsive broker. Below the 30 s of the lab's own
    // clients.
    private static readonly IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Patient = new Dictionary<
        string,
        IReadOnlyDictionary<string, string>
    >
    {
        ["ingestion"] = new Dictionary<string, string> { ["ServiceBus:SendTimeout"] = "00:00:20" },
    };

    // Settings of the queue that the broker keeps from the previous test, for tests that don't set them.
    private static readonly KnobSet QueueDefaults = KnobSet.Parse([
        "queue.lockDuration=60",
        "queue.maxDeliveryCount=10",
    ]);

    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;
    private bool _hasStopped;

    public HttpClient Http { get; } = Loopback.CreateClient();

    public Application Application { get; private set; } = null!;

    public ApplicationPlan Plan => Application.Plan;

    public static async Task<RunningApplication> StartAsync(
        string environment,
        string[] knobs,
        Func<ApplicationPlan, ApplicationPlan> change
    )
    {
        var running = new RunningApplication();
        var set = KnobSet.Parse(knobs).Consistent();
        var (ports, declared) = (new Ports(FreePorts.Offset()), DeclaredEnvironment.Load(environment));
        var plan = new ApplicationPlan(running._folder, ports, set, declared, Seed: 1) { Overrides = Patient };
        running.Application = await Application.StartAsync(change(plan), new Progress<(int, int)>(), Cancel);
        return running;
    }

    /// <summary>Applies other settings, and empties the queue and Redis.</summary>
    public async Task ChangeAsync(string[] knobs)
    {
        var set = KnobSet.Parse(knobs).Consistent();
        var queue = new QueueControl(Http, Plan.Broker);
        await queue.UpdateAsync(QueueDefaults.With(set), Cancel);
        await Application.ApplyAsync(Plan with { Knobs = set }, new Progress<(int, int)>(), Cancel);
        await queue.PurgeAsync(TimeProvider.System, Cancel);
        await RedisServer.LimitAsync(Plan.RedisConnectionString, set);
        await RedisServer.ClearAsync(Plan.RedisConnectionString);
    }

    public Task<IReadOnlyList<Journey>> SendAsync(int count, int callers)
    {
        var targets = Enumerable
            .Range(0, Plan.Replicas(Service.Ingestion))
            .Select(replica => Plan.Url(Service.Ingestion, replica));
        return new Journeys(Http, TimeProvider.System, [.. targets]).SendAsync(
            count,
            callers,
            TimeSpan.FromSeconds(60),
            Cancel
        );
    }

    public async Task PostAsync(int count)
    {
        var requests = DeliveryRequests.Load();
        for (var i = 0; i < count; i++)
        {
            var url = new Uri(Plan.Url(Service.Ingestion, 0), "api/deliveryrequests");
            using var response = await Http.PostAsync(url, requests.Create($"{i}"), Cancel);
            Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        }
    }

    /// <param name="atLeast">
    /// The count to wait for: a response is counted shortly after its client has received it.
    /// </param>
    public Task<int> AnswersAsync(Service service, int replica, int atLeast = 0) =>
        UntilAsync(
            async () => (await GetAsync(Plan.Url(service, replica), "$responses")).GetProperty("responses").GetInt32(),
            answers => answers >= atLeast
        );

    public async Task<QueueCounters> QueueAsync() => (await BrokerCounters.ReadAsync(Http, Plan.Broker, Cancel)).Queue;

    /// <param name="longer">The time beyond a minute, which is enough with short locks.</param>
    public Task<QueueCounters> QueueWhenAsync(Func<QueueCounters, bool> condition, TimeSpan longer = default) =>
        UntilAsync(QueueAsync, condition, longer);

    /// <param name="signal"><c>STOP</c> pauses the process until <c>CONT</c>.</param>
    public static async Task SignalAsync(ChildProcess process, string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", $"{process.Id}"]);
        await kill.WaitForExitAsync(Cancel);
    }

    public async Task<JsonElement> GetAsync(Uri service, string path) =>
        await Http.GetFromJsonAsync<JsonElement>(new Uri(service, path), Cancel);

    public async Task StopAsync()
    {
        if (!_hasStopped)
            await Application.DisposeAsync();
        _hasStopped = true;
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await StopAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
