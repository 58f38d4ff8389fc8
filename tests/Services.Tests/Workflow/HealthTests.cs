using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class HealthTests
{
    [Fact]
    public async Task Workflow_is_ready_once_the_broker_has_responded()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        await workflow.Http.ReadyAsync();
        var port = workflow.Queue.Broker.Broker.Address.Port;

        await workflow.Queue.Broker.DisposeAsync();
        await Eventually.TrueAsync(async () =>
            await workflow.Http.CheckAsync("queue") == ("Degraded", "The queue cannot be read.")
        );
        // The broker is unavailable for every replica, so a restart would not help.
        Assert.Equal(HttpStatusCode.OK, await workflow.Http.StatusAsync("/health/ready"));
        Assert.Equal(HttpStatusCode.OK, await workflow.Http.StatusAsync("/health/live"));

        await using var again = await BrokerFixture.StartAsync(new() { Port = port }, Cancelled);
        var queue = again.CreateQueue(name: workflow.Queue.Settings["ServiceBus:QueueName"]);
        await Eventually.TrueAsync(async () => await workflow.Http.CheckAsync("queue") == ("Healthy", null));
        await using var client = new ServiceBusClient(again.ConnectionString);
        await client
            .CreateSender(queue.Name)
            .SendMessageAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")), Cancelled);
        await Eventually.TrueAsync(() => queue.Counts().Completed == 1);
    }

    [Fact]
    public async Task Missing_failed_queue_is_reported_until_it_exists()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:Supervisor:Enabled"] = "true", ["ServiceBus:FailedQueueName"] = "nowhere" }
        );
        await workflow.Http.ReadyAsync();

        await workflow.Queue.SendAsync(QueueMessages.Message("nonsense", "order-1", new { }));
        const string Missing = "The queue of failed requests cannot be found, so dead letters remain.";
        await Eventually.TrueAsync(async () => await workflow.Http.CheckAsync("failed-queue") == ("Degraded", Missing));
        workflow.Queue.Broker.CreateQueue(name: "nowhere");

        await Eventually.TrueAsync(async () => await workflow.Http.CheckAsync("failed-queue") == ("Healthy", null));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLetter == 0);
    }
}
