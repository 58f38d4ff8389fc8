using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class HealthTests
{
    [Fact]
    public async Task It_is_ready_once_the_broker_has_answered_and_says_when_it_does_not()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        await workflow.Http.ReadyAsync();
        var port = workflow.Queue.Broker.Broker.Address.Port;

        await workflow.Queue.Broker.DisposeAsync();
        await Eventually.TrueAsync(async () =>
            await workflow.Http.CheckAsync("queue") == ("Degraded", "The queue cannot be read.")
        );
        // It is away for every replica, and no reason for a restart.
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
    public async Task It_says_that_failed_requests_have_no_queue_until_they_have_one()
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
