using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Workflow;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Workflow between a real broker and fakes of the services it calls. Calls are repeated, and outages
/// held through, only if a test asks for it.</summary>
internal sealed class WorkflowUnderTest : IAsyncDisposable
{
    private static readonly Dictionary<string, string?> Defaults = new()
    {
        ["Resilience:RetryDelays"] = "",
        ["Resilience:AttemptTimeout"] = "00:01:00", // a busy machine is no outage
        ["Resilience:BreakerFailureRatio"] = "0",
        ["Workflow:HoldDuringOutage"] = "false",
        ["Workflow:AbandonDelay"] = "00:00:00.050",
        ["Workflow:PostponeDelay"] = "00:00:00.050",
        ["Workflow:Supervisor:Enabled"] = "false", // dead letters stay for the test to look at
    };

    private WorkflowUnderTest(QueueUnderTest queue, FakeBackends backends, ServiceHost<DeliveryWorkflow> host) =>
        (Queue, Backends, Host) = (queue, backends, host);

    public QueueUnderTest Queue { get; }

    public FakeBackends Backends { get; }

    public ServiceHost<DeliveryWorkflow> Host { get; }

    public HttpClient Http => Host.Http;

    public static async Task<WorkflowUnderTest> StartAsync(
        Dictionary<string, string?>? settings = null,
        Func<QueueOptions, QueueOptions>? queueOptions = null,
        TimeProvider? brokerTime = null,
        Action<IServiceCollection>? add = null
    )
    {
        var queue = await QueueUnderTest.StartAsync(queueOptions, brokerTime);
        var backends = await FakeBackends.StartAsync();
        return Start(queue, backends, settings, add);
    }

    public static WorkflowUnderTest Start(
        QueueUnderTest queue,
        FakeBackends backends,
        Dictionary<string, string?>? settings = null,
        Action<IServiceCollection>? add = null
    )
    {
        var all = queue.Settings.And(backends.Settings).And(Defaults).And(settings ?? []);
        return new(queue, backends, ServiceHost<DeliveryWorkflow>.Start(all, add: add));
    }

    public async ValueTask DisposeAsync()
    {
        await Host.DisposeAsync();
        await Backends.DisposeAsync();
        await Queue.DisposeAsync();
    }
}
