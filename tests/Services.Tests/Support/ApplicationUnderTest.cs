using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Ingestion;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Http;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// The five services in this process, each on its own port, with a real broker, a real Redis, and SQLite files.
/// </summary>
internal sealed class ApplicationUnderTest : IAsyncDisposable
{
    private readonly RedisFixture _redis;
    private readonly TemporaryFolder _packages = new(),
        _assignments = new();
    private readonly ServiceHost<PackageStore> _package;
    private readonly ServiceHost<AssignmentStore> _droneScheduler;
    private readonly ServiceHost<ChangeDelivery> _delivery;
    private readonly ServiceHost<DeliveryWorkflow> _workflow;
    private readonly ServiceHost<DeliveryQueue> _ingestion;

    private ApplicationUnderTest(
        QueueUnderTest queue,
        RedisFixture redis,
        IHttpMessageHandlerBuilderFilter? callsOfWorkflow
    )
    {
        (Queue, _redis) = (queue, redis);
        _package = ServiceHost<PackageStore>.Start(_packages.SqliteSettings);
        _droneScheduler = ServiceHost<AssignmentStore>.Start(_assignments.SqliteSettings);
        _delivery = ServiceHost<ChangeDelivery>.Start(new() { ["Redis:ConnectionString"] = redis.ConnectionString });
        var settings = queue.Settings.And(
            new()
            {
                ["services:package:http:0"] = _package.Address.GetLeftPart(UriPartial.Authority),
                ["services:dronescheduler:http:0"] = _droneScheduler.Address.GetLeftPart(UriPartial.Authority),
                ["services:delivery:http:0"] = _delivery.Address.GetLeftPart(UriPartial.Authority),
                ["Resilience:AttemptTimeout"] = "00:01:00", // Long enough for a busy machine.
                ["ServiceBus:SendTimeout"] = "00:01:00",
            }
        );
        _workflow = ServiceHost<DeliveryWorkflow>.Start(
            settings.And(callsOfWorkflow is null ? ShortWaits : ShortWaits.And(NoRepetitions)),
            add: services =>
            {
                if (callsOfWorkflow is not null)
                    services.AddSingleton(callsOfWorkflow);
            }
        );
        _ingestion = ServiceHost<DeliveryQueue>.Start(settings);
    }

    public QueueUnderTest Queue { get; }

    /// <summary>A value that changes as long as messages are handled.</summary>
    private (QueueCounts Counts, int Lines) State => (Queue.Counts, _workflow.Logs.Lines.Count);

    public HttpClient Ingestion => _ingestion.Http;

    public HttpClient Package => _package.Http;

    public HttpClient DroneScheduler => _droneScheduler.Http;

    public HttpClient Delivery => _delivery.Http;

    /// <summary>Settings for a test that breaks calls and waits for their retries.</summary>
    private static Dictionary<string, string?> ShortWaits =>
        new()
        {
            ["Resilience:RetryDelays:0"] = "00:00:00.050",
            ["Workflow:RetryDelay"] = "00:00:00.100",
            ["Workflow:MaxConcurrentCalls"] = "5",
            ["Workflow:PrefetchCount"] = "10",
        };

    private static Dictionary<string, string?> NoRepetitions =>
        new()
        {
            ["Resilience:RetryDelays"] = "",
            ["Resilience:RetryDelays:0"] = null,
            ["Resilience:BreakerFailureRatio"] = "0",
            ["Workflow:HoldDuringOutage"] = "false",
        };

    /// <param name="callsOfWorkflow">
    /// Breaks calls. They are not retried: their message is redelivered, as after a crash.
    /// </param>
    public static async Task<ApplicationUnderTest> StartAsync(IHttpMessageHandlerBuilderFilter? callsOfWorkflow = null)
    {
        var redis = await RedisFixture.StartAsync(Cancelled);
        return new(
            await QueueUnderTest.StartAsync(options => options with { MaxDeliveryCount = 100 }),
            redis,
            callsOfWorkflow
        );
    }

    /// <summary>Sends a request as a client does, and repeats it until it returns 202.</summary>
    public async Task<Uri> RequestAsync(DeliveryRequest request)
    {
        Uri? location = null;
        await Progress.UntilAsync(
            async () =>
            {
                using var response = await Ingestion.PostAsync("/api/deliveryrequests", request);
                location = response.Headers.Location;
                return response.StatusCode == HttpStatusCode.Accepted;
            },
            () => State
        );
        return location!;
    }

    public async Task<DeliveryStatus> FollowAsync(Uri location, Func<DeliveryStatus, bool>? until = null)
    {
        DeliveryStatus? status = null;
        await Progress.UntilAsync(
            async () =>
            {
                using var response = await Ingestion.GetAsync(location, Cancelled);
                if (response.StatusCode == HttpStatusCode.OK)
                    status = await response.ReadAsync<DeliveryStatus>();
                return status is not null && (until is null || until(status));
            },
            () => State
        );
        return status!;
    }

    public Task QuietAsync() =>
        Progress.UntilAsync(
            () => Task.FromResult(Queue.Counts is { Active: 0, Locked: 0, Scheduled: 0, DeadLetter: 0 }),
            () => State
        );

    public async Task<int> BookedFlightsAsync() =>
        (await DroneScheduler.GetAsync<DroneDetails[]>("/api/drones")).Sum(drone => drone.Assigned);

    public Task<string> RedisAsync(string command) => _redis.CommandAsync(command, Cancelled);

    public async ValueTask DisposeAsync()
    {
        foreach (
            var service in new IAsyncDisposable[]
            {
                _ingestion,
                _workflow,
                _package,
                _droneScheduler,
                _delivery,
                _redis,
                Queue,
            }
        )
        {
            await service.DisposeAsync();
        }

        _packages.Dispose();
        _assignments.Dispose();
    }
}
