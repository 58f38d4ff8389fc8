using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class ShutdownTests
{
    [Fact]
    public async Task Shutdown_finishes_running_handlers_and_releases_the_rest()
    {
        var stopping = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var workflow = await WorkflowUnderTest.StartAsync(Settings(), add: services =>
            services.AddSingleton<ServiceBusClient>(provider =>
                ClientOf(provider, (client, name, options) => new ObservedProcessor(client, name, options, stopping))
            )
        );
        var (queue, gate) = (workflow.Queue, workflow.Backends.Hold());
        await queue.SendAsync(QueueMessages.Deliveries(10));
        await Eventually.TrueAsync(() => workflow.Backends.Running == 2 && queue.Counts.Locked == 6);

        var stopped = workflow.Host.DisposeAsync();
        await Eventually.TrueAsync(() => stopping.Task.IsCompleted);
        Assert.False(stopped.IsCompleted);
        gate.SetResult();
        await stopped;
        Assert.Equal((2, 10), (queue.Counts.Completed, queue.Counts.Incoming)); // None is postponed.

        // The two running messages are completed and all others released, long before their locks expire. Until the
        // link has closed, the broker may deliver some of the waiting messages.
        await Eventually.TrueAsync(() => queue.Counts is { Completed: 2, Active: 8, Locked: 0 });
        Assert.InRange(queue.Counts.Outgoing, 6, 10);
        Assert.Equal(0, queue.Counts.ExpiredLocks);
    }

    [Fact]
    public async Task Handler_that_exceeds_the_shutdown_timeout_is_postponed()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(Settings().And("shutdownTimeoutSeconds", "1"));
        var (queue, gate) = (workflow.Queue, workflow.Backends.Hold());
        await queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => workflow.Backends.Running == 1);

        await workflow.Host.DisposeAsync();
        gate.SetResult();

        await Eventually.TrueAsync(() =>
            queue.Counts is { Completed: 1, Abandoned: 0, Locked: 0, Scheduled: var later, Active: var now }
            && later + now == 1
        );
    }

    [Fact]
    public async Task Receiver_ends_without_failure_when_a_link_cannot_close()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(add: services =>
            services.AddSingleton<ServiceBusClient>(provider =>
                ClientOf(provider, (client, name, options) => new UnclosableProcessor(client, name, options))
            )
        );
        var receiver = workflow.Host.Services.GetRequiredService<PauseDuringOutage>();
        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);

        await workflow.Host.DisposeAsync();

        Assert.False(receiver.ExecuteTask!.IsFaulted);
        workflow.Host.Logs.AssertContains("Closing the link", "Requested by the test.");
    }

    private static Dictionary<string, string?> Settings() =>
        new()
        {
            ["Workflow:MaxConcurrentCalls"] = "2",
            ["Workflow:PrefetchCount"] = "6",
            ["Resilience:AttemptTimeout"] = "00:05:00",
        };

    private static Client ClientOf(
        IServiceProvider provider,
        Func<ServiceBusClient, string, ServiceBusProcessorOptions, ServiceBusProcessor> createProcessor
    )
    {
        var options = provider.GetRequiredService<IOptions<ServiceBusOptions>>().Value;
        return new Client(options.ConnectionString!, createProcessor);
    }

    private sealed class Client(
        string connectionString,
        Func<ServiceBusClient, string, ServiceBusProcessorOptions, ServiceBusProcessor> createProcessor
    ) : ServiceBusClient(connectionString)
    {
        public override ServiceBusProcessor CreateProcessor(string queueName, ServiceBusProcessorOptions options) =>
            createProcessor(this, queueName, options);
    }

    /// <summary>Reports when it receives no more messages and waits for its handlers.</summary>
    private sealed class ObservedProcessor(
        ServiceBusClient client,
        string queueName,
        ServiceBusProcessorOptions options,
        TaskCompletionSource stopping
    ) : ServiceBusProcessor(client, queueName, options)
    {
        public override Task StopProcessingAsync(CancellationToken cancellationToken = default)
        {
            var stopped = base.StopProcessingAsync(cancellationToken);
            stopping.TrySetResult();
            return stopped;
        }
    }

    private sealed class UnclosableProcessor(
        ServiceBusClient client,
        string queueName,
        ServiceBusProcessorOptions options
    ) : ServiceBusProcessor(client, queueName, options)
    {
        public override async Task CloseAsync(CancellationToken cancellationToken = default)
        {
            await base.CloseAsync(cancellationToken);
            throw new InvalidOperationException("Requested by the test.");
        }
    }
}
