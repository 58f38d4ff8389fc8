using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Tests.Faults;

public sealed class FaultTests
{
    [Fact]
    public async Task When_a_Workflow_and_a_Delivery_are_killed_and_every_connection_of_the_broker_is_dropped_each_delivery_arrives_once()
    {
        const int Deliveries = 400;
        await using var running = await RunningApplication.StartAsync(
            "azure-2020", "workflow.replicas=2", "delivery.replicas=2", "workflow.maxConcurrentCalls=10",
            "workflow.prefetchCount=20", "queue.lockDuration=3", "queue.maxDeliveryCount=10");

        var sending = running.SendAsync(Deliveries, callers: 40);
        await running.QueueWhenAsync(queue => queue.Completed > 40);
        await RunningApplication.KillAsync(running.Application[Service.Workflow, 0]);
        await running.QueueWhenAsync(queue => queue.Completed > 100);
        await RunningApplication.KillAsync(running.Application[Service.Delivery, 1]);
        await running.QueueWhenAsync(queue => queue.Completed > 160);
        await running.Http.PostAsync(new Uri(running.Plan.Broker, "$connections/drop"), null, TestContext.Current.CancellationToken);
        Assert.False(sending.IsCompleted, "the faults came too late to matter");
        var journeys = await sending;

        Assert.All(journeys, journey => Assert.NotNull(journey.Status));
        var queue = await running.QueueWhenAsync(queue => queue.Queued == 0);
        Assert.Equal(0, queue.DeadLetter);
        // A message that is put off while a service is away is completed, and so is its copy.
        Assert.InRange(queue.Completed, Deliveries, 2 * Deliveries);
        Assert.True(queue.Redelivered > 0, "no message had to be handled again: the faults hit nothing");
        await AssertOneDroneEachAsync(running, [.. journeys.Select(journey => journey.DeliveryId!)]);
    }

    private static async Task AssertOneDroneEachAsync(RunningApplication running, List<string> deliveries)
    {
        var scheduler = running.Plan.Url(Service.DroneScheduler, 0);
        var delivery = running.Plan.Url(Service.Delivery, 0);
        foreach (var deliveryId in deliveries)
        {
            var droneId = (await running.GetAsync(delivery, $"api/deliveries/{deliveryId}")).GetProperty("droneId").GetString();
            Assert.Equal(
                droneId, (await running.GetAsync(scheduler, $"api/dronedeliveries/{deliveryId}")).GetProperty("droneId").GetString());
        }

        var fleet = await running.GetAsync(scheduler, "api/drones");
        Assert.Equal(deliveries.Count, fleet.EnumerateArray().Sum(drone => drone.GetProperty("assigned").GetInt32()));
    }
}
