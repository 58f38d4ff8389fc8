namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// Tests that start the application and measure something, one after the other when all others are done. Those that only wait for what
/// they need are in no collection, and run beside others.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class RealProcesses
{
    public const string Name = "real processes";
}

/// <summary>The real application for one test, with the knobs that the test sets.</summary>
internal sealed class RunningApplication : IAsyncDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;

    public HttpClient Http { get; } = Loopback.CreateClient();

    public Application Application { get; private set; } = null!;

    public ApplicationPlan Plan => Application.Plan;

    public static Task<RunningApplication> StartAsync(string environment, params string[] knobs) => StartAsync(environment, [], knobs);

    /// <param name="with">Services beside the five.</param>
    /// <param name="knobs">As typed.</param>
    public static Task<RunningApplication> StartWithAsync(IReadOnlyList<Service> with, params string[] knobs) =>
        StartAsync("none", with, knobs);

    /// <summary>One whose messages outlive the broker, as those of <c>lab up</c> do.</summary>
    public static Task<RunningApplication> StartKeepingAsync(params string[] knobs) => StartAsync("none", [], knobs, keepsMessages: true);

    private static async Task<RunningApplication> StartAsync(
        string environment, IReadOnlyList<Service> with, string[] knobs, bool keepsMessages = false)
    {
        var running = new RunningApplication();
        var plan = new ApplicationPlan(
            running._folder,
            new Ports(FreePorts.Offset()),
            KnobSet.Parse(knobs).Consistent(),
            DeclaredEnvironment.Load(environment),
            Seed: 1)
        {
            With = with,
            KeepsMessages = keepsMessages,
            Overrides = PatientServices.Overrides,
        };
        running.Application = await Application.StartAsync(plan, new Progress<(int, int)>(), TestContext.Current.CancellationToken);
        return running;
    }

    public IReadOnlyList<Uri> UrlsOf(Service service) =>
        [.. Enumerable.Range(0, Plan.Replicas(service)).Select(replica => Plan.Url(service, replica))];

    public Task<IReadOnlyList<Journey>> SendAsync(int count, int callers) =>
        new Journeys(Http, TimeProvider.System, UrlsOf(Service.Ingestion))
            .SendAsync(count, callers, TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

    /// <summary>Posts requests without following them.</summary>
    public async Task PostAsync(int count)
    {
        var requests = DeliveryRequests.Load();
        for (var i = 0; i < count; i++)
        {
            using var response = await Http.PostAsync(
                new Uri(Plan.Url(Service.Ingestion, 0), "api/deliveryrequests"),
                requests.Create($"{i}"),
                TestContext.Current.CancellationToken);
            Assert.Equal(System.Net.HttpStatusCode.Accepted, response.StatusCode);
        }
    }

    /// <summary>A counter of the API requests that a replica has answered.</summary>
    /// <param name="service">Whose.</param>
    /// <param name="replica">Its number.</param>
    /// <param name="counter">Name of the counter.</param>
    /// <param name="atLeast">So many are waited for: it counts a moment after its client has the answer.</param>
    public async Task<int> AnswersAsync(Service service, int replica, string counter = "responses", int atLeast = 0)
    {
        for (var watch = Stopwatch.StartNew(); ; await Task.Delay(20, TestContext.Current.CancellationToken))
        {
            var answers = (await GetAsync(Plan.Url(service, replica), "$responses")).GetProperty(counter).GetInt32();
            if (answers >= atLeast || watch.Elapsed > TimeSpan.FromMinutes(1))
                return answers;
        }
    }

    public async Task<QueueCounters> QueueAsync() =>
        (await BrokerCounters.ReadAsync(Http, Plan.Broker, TestContext.Current.CancellationToken)).Queue;

    /// <summary>Waits until the queue is as it should be.</summary>
    /// <param name="condition">What is waited for.</param>
    /// <param name="longer">Beyond a minute, which is enough where locks are short.</param>
    public async Task<QueueCounters> QueueWhenAsync(Func<QueueCounters, bool> condition, TimeSpan longer = default)
    {
        var patience = TimeSpan.FromMinutes(1) + longer;
        for (var watch = Stopwatch.StartNew(); ;)
        {
            var queue = await QueueAsync();
            if (condition(queue))
                return queue;
            Assert.True(watch.Elapsed < patience, $"waited {patience.TotalSeconds} s in vain: {queue}");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>As <c>kill -9</c> does: no handler, no goodbye.</summary>
    public static async Task KillAsync(ChildProcess child)
    {
        using (var process = Process.GetProcessById(child.Id))
            process.Kill();
        await child.Ended;
    }

    /// <param name="process">Gets it.</param>
    /// <param name="signal"><c>STOP</c>: it stands still until it gets <c>CONT</c>.</param>
    public static async Task SignalAsync(ChildProcess process, string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", $"{process.Id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    public async Task<JsonElement> GetAsync(Uri service, string path) =>
        await Http.GetFromJsonAsync<JsonElement>(new Uri(service, path), TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await Application.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
