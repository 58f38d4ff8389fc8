using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Ingestion;
using DroneDelivery.LabAgent;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The five services in this process, each on a port of its own, with a real broker, a real Redis and SQLite files.</summary>
internal sealed class ApplicationUnderTest : IAsyncDisposable
{
    private static readonly string[] Called = ["package", "dronescheduler", "delivery"];

    private readonly RedisFixture _redis;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("delivery-journey-");
    private readonly Dictionary<string, ReservedPort> _ports = Called.ToDictionary(service => service, _ => new ReservedPort());
    private readonly Dictionary<string, IAsyncDisposable> _called = [];
    private readonly ServiceHost<DeliveryQueue> _ingestion;
    private readonly Stack<ServiceHost<DeliveryWorkflow>> _workflows = [];
    private readonly Dictionary<string, string?> _workflowSettings;
    private readonly IHttpMessageHandlerBuilderFilter? _callsOfWorkflow;

    private ApplicationUnderTest(
        QueueUnderTest queue,
        RedisFixture redis,
        Dictionary<string, string?> workflowSettings,
        IHttpMessageHandlerBuilderFilter? callsOfWorkflow)
    {
        (Queue, _redis, _workflowSettings, _callsOfWorkflow) = (queue, redis, workflowSettings, callsOfWorkflow);
        Broker = Relay.Start(queue.Broker.Broker.Address.Port);
        Array.ForEach(Called, Start);
        StartWorkflow();
        _ingestion = ServiceHost<DeliveryQueue>.Start(QueueSettings.And(Addresses).And(new()
        {
            ["Resilience:AttemptTimeout"] = "00:01:00",
            ["ServiceBus:SendTimeout"] = "00:01:00",
        }));
        Package = new HttpClient { BaseAddress = AddressOf("package") };
        DroneScheduler = new HttpClient { BaseAddress = AddressOf("dronescheduler") };
        Delivery = new HttpClient { BaseAddress = AddressOf("delivery") };
    }

    public QueueUnderTest Queue { get; }

    /// <summary>Between the services and the broker.</summary>
    public Relay Broker { get; }

    public HttpClient Ingestion => _ingestion.Http;

    /// <summary>The first that was started.</summary>
    public HttpClient Workflow => _workflows.Last().Http;

    public HttpClient Package { get; }

    public HttpClient DroneScheduler { get; }

    public HttpClient Delivery { get; }

    /// <summary>
    /// How a Delivery finds its store, and in the lab 50 ms for each answer: deliveries are under way when a test breaks something.
    /// </summary>
    public Dictionary<string, string?> DeliverySettings => new()
    {
        ["Redis:ConnectionString"] = _redis.ConnectionString,
        ["Emulation:Latency:Mu"] = "3.9",
        ["Emulation:Latency:Sigma"] = "0.1",
    };

    /// <summary>How a Workflow finds everybody. Short waits: a test that breaks things waits for them to be tried again.</summary>
    public Dictionary<string, string?> WorkflowSettings => QueueSettings.And(Addresses).And(new()
    {
        ["Resilience:RetryDelays:0"] = "00:00:00.050",
        ["Resilience:AttemptTimeout"] = "00:01:00", // a busy machine is no outage
        ["Resilience:BreakerBreakDuration"] = "00:00:00.500",
        ["Workflow:AbandonDelay"] = "00:00:00.100",
        ["Workflow:PostponeDelay"] = "00:00:00.100",
        ["Workflow:MaxConcurrentCalls"] = "5",
        ["Workflow:PrefetchCount"] = "10",
    }).And(_workflowSettings);

    private Dictionary<string, string?> QueueSettings => Queue.Settings.And(
        "ServiceBus:ConnectionString",
        Queue.Broker.ConnectionString.Replace($":{Queue.Broker.Broker.Address.Port};", $":{Broker.Port};", StringComparison.Ordinal));

    private Dictionary<string, string?> Addresses =>
        Called.ToDictionary(service => $"Services:{service}:0", service => (string?)AddressOf(service).GetLeftPart(UriPartial.Authority));

    /// <summary>In which messages of a process that is killed soon come back, and may do so often.</summary>
    /// <param name="callsOfWorkflow">Breaks them. They are not repeated: their message comes again, as after a crash.</param>
    public static Task<ApplicationUnderTest> StartAsync(IHttpMessageHandlerBuilderFilter? callsOfWorkflow = null) => StartAsync(
        queue => queue with { LockDuration = TimeSpan.FromSeconds(5), MaxDeliveryCount = 100 },
        callsOfWorkflow is null ? [] : new()
        {
            ["Resilience:RetryDelays"] = "",
            ["Resilience:RetryDelays:0"] = null,
            ["Resilience:BreakerFailureRatio"] = "0",
            ["Workflow:HoldDuringOutage"] = "false",
        },
        callsOfWorkflow);

    public static async Task<ApplicationUnderTest> StartAsync(
        Func<QueueOptions, QueueOptions> queueOptions,
        Dictionary<string, string?>? workflowSettings = null,
        IHttpMessageHandlerBuilderFilter? callsOfWorkflow = null)
    {
        Assert.SkipUnless(RedisFixture.IsInstalled, RedisFixture.HowToInstall);
        var queue = await QueueUnderTest.StartAsync(queueOptions);
        return new ApplicationUnderTest(queue, await RedisFixture.StartAsync(Cancelled), workflowSettings ?? [], callsOfWorkflow);
    }

    /// <summary>Where a service listens that Workflow calls.</summary>
    public Uri AddressOf(string service) => new($"http://127.0.0.1:{_ports[service].Number}");

    /// <summary>Stops a service that Workflow calls.</summary>
    public ValueTask StopAsync(string service) => _called[service].DisposeAsync();

    /// <summary>On its former port.</summary>
    public void Start(string service) => _called[service] = service switch
    {
        "package" => ServiceHost<PackageStore>.Start(StoreSettings(service), _ports[service].Number),
        "dronescheduler" => ServiceHost<AssignmentStore>.Start(StoreSettings(service), _ports[service].Number),
        _ => ServiceHost<ChangeDelivery>.Start(DeliverySettings, _ports[service].Number, add: services => services.AddLab()),
    };

    private Dictionary<string, string?> StoreSettings(string name) => new()
    {
        ["Database:ConnectionString"] = $"Data Source={_folder.FullName}/{name}.db",
        ["Database:WriteTimeout"] = "00:01:00", // a busy machine is no outage
    };

    /// <summary>The one that was started last.</summary>
    public ValueTask StopWorkflowAsync() => _workflows.Pop().DisposeAsync();

    /// <summary>One more, if there is one.</summary>
    public void StartWorkflow() => _workflows.Push(ServiceHost<DeliveryWorkflow>.Start(WorkflowSettings, add: services =>
    {
        if (_callsOfWorkflow is not null)
            services.AddSingleton(_callsOfWorkflow);
    }));

    /// <summary>As a client does it: whoever gets no 202 sends the same again.</summary>
    /// <returns>Where to follow the delivery.</returns>
    public async Task<Uri> RequestAsync(DeliveryRequest request)
    {
        Uri? location = null;
        await Eventually.TrueAsync(async () =>
        {
            using var response = await Ingestion.PostAsync("/api/deliveryrequests", request);
            location = response.Headers.Location;
            return response.StatusCode == HttpStatusCode.Accepted;
        });
        return location!;
    }

    /// <summary>So many at a time, of which each has its number in its id.</summary>
    public Task<Uri[]> RequestAsync(int from, int to) =>
        Task.WhenAll(Enumerable.Range(from, to - from).Select(i => RequestAsync(SampleRequests.Delivery($"order-{i}"))));

    /// <summary>Until the deliveries are recorded; no message was in trouble.</summary>
    public async Task DeliveredAsync(params Uri[] locations)
    {
        foreach (var location in locations)
            await FollowAsync(location);
        await QuietAsync();
        Assert.Equal(0, Queue.Counts.DeadLettered);
    }

    /// <summary>Asks at a Location until the delivery has got so far.</summary>
    public async Task<DeliveryStatus> FollowAsync(Uri location, Func<DeliveryStatus, bool>? until = null)
    {
        DeliveryStatus? status = null;
        await Eventually.TrueAsync(async () =>
        {
            using var response = await Ingestion.GetAsync(location, Cancelled);
            if (response.StatusCode == HttpStatusCode.OK)
                status = await response.ReadAsync<DeliveryStatus>();
            return status is not null && (until is null || until(status));
        });
        return status!;
    }

    /// <summary>Until every message and every dead letter is dealt with.</summary>
    public Task QuietAsync() => Eventually.TrueAsync(() => Queue.Counts is { Active: 0, Locked: 0, Scheduled: 0, DeadLetter: 0 });

    /// <summary>Of all drones together.</summary>
    public async Task<int> BookedFlightsAsync() =>
        (await DroneScheduler.GetAsync<DroneDetails[]>("/api/drones")).Sum(drone => drone.Assigned);

    /// <summary>One line of Redis's own protocol.</summary>
    public Task<string> RedisAsync(string command) => _redis.CommandAsync(command, Cancelled);

    public async ValueTask DisposeAsync()
    {
        foreach (var http in new[] { Package, DroneScheduler, Delivery })
            http.Dispose();
        await _ingestion.DisposeAsync();
        foreach (var workflow in _workflows)
            await workflow.DisposeAsync();
        foreach (var service in _called.Values)
            await service.DisposeAsync();
        await Broker.DisposeAsync();
        await _redis.DisposeAsync();
        await Queue.DisposeAsync();
        foreach (var port in _ports.Values)
            port.Dispose();
        _folder.Delete(recursive: true);
    }
}
