using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Ingestion;
using DroneDelivery.LabAgent;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The five services in this process, each on a port of its own, with a real broker, a real Redis and SQLite files.</summary>
internal sealed class ApplicationUnderTest : IAsyncDisposable
{
    private readonly RedisFixture _redis;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("delivery-journey-");
    private readonly ServiceHost<PackageStore> _package;
    private readonly ServiceHost<AssignDrone> _droneScheduler;
    private readonly ServiceHost<DeliveryQueue> _ingestion;
    private ServiceHost<ChangeDelivery> _delivery;
    private ServiceHost<DeliveryWorkflow> _workflow;

    private ApplicationUnderTest(QueueUnderTest queue, RedisFixture redis)
    {
        (Queue, _redis) = (queue, redis);
        _package = ServiceHost<PackageStore>.Start(new() { ["Database:ConnectionString"] = $"Data Source={_folder.FullName}/package.db" });
        _droneScheduler = ServiceHost<AssignDrone>.Start(
            new() { ["Database:ConnectionString"] = $"Data Source={_folder.FullName}/drones.db" });
        _delivery = StartDelivery(port: 0);
        DeliveryAddress = _delivery.Address;
        _workflow = ServiceHost<DeliveryWorkflow>.Start(WorkflowSettings);
        _ingestion = ServiceHost<DeliveryQueue>.Start(queue.Settings.And(Addresses));
        Ingestion = _ingestion.CreateClient();
        Package = _package.CreateClient();
        DroneScheduler = _droneScheduler.CreateClient();
        Delivery = new HttpClient { BaseAddress = DeliveryAddress };
    }

    public QueueUnderTest Queue { get; }

    public HttpClient Ingestion { get; }

    public HttpClient Package { get; }

    public HttpClient DroneScheduler { get; }

    public HttpClient Delivery { get; }

    public Uri DeliveryAddress { get; }

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
    public Dictionary<string, string?> WorkflowSettings => Queue.Settings.And(Addresses).And(new()
    {
        ["Resilience:RetryDelays:0"] = "00:00:00.050",
        ["Resilience:BreakerBreakDuration"] = "00:00:00.500",
        ["Workflow:AbandonDelay"] = "00:00:00.100",
        ["Workflow:PostponeDelay"] = "00:00:00.100",
        ["Workflow:MaxConcurrentCalls"] = "5",
        ["Workflow:PrefetchCount"] = "10",
    });

    private Dictionary<string, string?> Addresses => new()
    {
        ["Services:package:0"] = $"{_package.Address}",
        ["Services:dronescheduler:0"] = $"{_droneScheduler.Address}",
        ["Services:delivery:0"] = $"{DeliveryAddress}",
    };

    public static async Task<ApplicationUnderTest> StartAsync()
    {
        Assert.SkipUnless(RedisFixture.IsInstalled, RedisFixture.HowToInstall);
        // Messages of a process that is killed come back when their lock ends.
        var queue = await QueueUnderTest.StartAsync(
            options => options with { LockDuration = TimeSpan.FromSeconds(5), MaxDeliveryCount = 100 });
        return new ApplicationUnderTest(queue, await RedisFixture.StartAsync(TestContext.Current.CancellationToken));
    }

    public ValueTask StopDeliveryAsync() => _delivery.DisposeAsync();

    /// <summary>On its former port.</summary>
    public void StartDelivery() => _delivery = StartDelivery(DeliveryAddress.Port);

    private ServiceHost<ChangeDelivery> StartDelivery(int port) =>
        ServiceHost<ChangeDelivery>.Start(DeliverySettings, port, add: services => services.AddLab());

    public ValueTask StopWorkflowAsync() => _workflow.DisposeAsync();

    public void StartWorkflow() => _workflow = ServiceHost<DeliveryWorkflow>.Start(WorkflowSettings);

    /// <summary>As a client does it: whoever gets no 202 sends the same again.</summary>
    /// <returns>Where to follow the delivery.</returns>
    public async Task<Uri> RequestAsync(DeliveryRequest request)
    {
        Uri? location = null;
        await Eventually.TrueAsync(async () =>
        {
            using var response = await Ingestion.PostAsJsonAsync(
                "/api/deliveryrequests", request, ContractJson.Options, TestContext.Current.CancellationToken);
            location = response.Headers.Location;
            return response.StatusCode == HttpStatusCode.Accepted;
        });
        return location!;
    }

    /// <summary>Asks at a Location until the delivery has got so far.</summary>
    public async Task<DeliveryStatus> FollowAsync(Uri location, Func<DeliveryStatus, bool>? until = null)
    {
        DeliveryStatus? status = null;
        await Eventually.TrueAsync(async () =>
        {
            using var response = await Ingestion.GetAsync(location, TestContext.Current.CancellationToken);
            if (response.StatusCode == HttpStatusCode.OK)
            {
                status = await response.Content.ReadFromJsonAsync<DeliveryStatus>(
                    ContractJson.Options, TestContext.Current.CancellationToken);
            }
            return status is not null && (until is null || until(status));
        });
        return status!;
    }

    /// <summary>One line of Redis's own protocol.</summary>
    public Task<string> RedisAsync(string command) => _redis.CommandAsync(command, TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        foreach (var http in new[] { Ingestion, Package, DroneScheduler, Delivery })
            http.Dispose();
        await _ingestion.DisposeAsync();
        await _workflow.DisposeAsync();
        await _delivery.DisposeAsync();
        await _droneScheduler.DisposeAsync();
        await _package.DisposeAsync();
        await _redis.DisposeAsync();
        await Queue.DisposeAsync();
        _folder.Delete(recursive: true);
    }
}
