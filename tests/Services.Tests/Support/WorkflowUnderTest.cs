using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Workflow with a real broker and fakes of the services it calls. By default, it neither retries calls nor pauses
/// during outages.
/// </summary>
internal sealed class WorkflowUnderTest : IAsyncDisposable
{
    private static readonly Dictionary<string, string?> Defaults = new()
    {
        ["Resilience:RetryDelays"] = "",
        ["Resilience:AttemptTimeout"] = "00:01:00", // Long enough for a busy machine.
        ["Resilience:BreakerFailureRatio"] = "0",
        ["Workflow:HoldDuringOutage"] = "false",
        ["Workflow:RetryDelay"] = "00:00:00.050",
        ["Workflow:Supervisor:Enabled"] = "false", // Keeps dead letters for the test to check.
    };

    private WorkflowUnderTest(QueueUnderTest queue, FakeBackends backends, ServiceHost<DeliveryWorkflow> host) =>
        (Queue, Backends, Host) = (queue, backends, host);

    public QueueUnderTest Queue { get; }

    public FakeBackends Backends { get; }

    public ServiceHost<DeliveryWorkflow> Host { get; }

    public HttpClient Http => Host.Http;

    /// <summary>
    /// Creates a clock for Workflow and its broker. It starts an hour ahead, because the SDK compares lock expiry with
    /// the system clock.
    /// </summary>
    public static ManualTimeProvider CreateTime()
    {
        var hour = TimeProvider.System.GetUtcNow().AddHours(1);
        return new(hour.AddTicks(-(hour.Ticks % TimeSpan.TicksPerSecond)));
    }

    /// <param name="brokerTime">The broker's clock, if it differs from Workflow's.</param>
    /// <param name="time">The clock of both Workflow and the broker.</param>
    public static async Task<WorkflowUnderTest> StartAsync(
        Dictionary<string, string?>? settings = null,
        Func<QueueOptions, QueueOptions>? queueOptions = null,
        TimeProvider? brokerTime = null,
        TimeProvider? time = null,
        Action<IServiceCollection>? add = null
    )
    {
        var queue = await QueueUnderTest.StartAsync(queueOptions, brokerTime ?? time);
        var backends = await FakeBackends.StartAsync();
        return Start(queue, backends, settings, time, add);
    }

    public static WorkflowUnderTest Start(
        QueueUnderTest queue,
        FakeBackends backends,
        Dictionary<string, string?>? settings = null,
        TimeProvider? time = null,
        Action<IServiceCollection>? add = null
    )
    {
        var all = queue.Settings.And(backends.Settings).And(Defaults).And(settings ?? []);
        return new(queue, backends, ServiceHost<DeliveryWorkflow>.Start(all, time, add));
    }

    public async ValueTask DisposeAsync()
    {
        await Host.DisposeAsync();
        await Backends.DisposeAsync();
        await Queue.DisposeAsync();
    }
}
