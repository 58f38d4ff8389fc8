namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>A broker for somebody else's test.</summary>
public sealed class OneCallTests
{
    [Fact]
    public async Task One_call_starts_a_broker_with_the_queues_that_were_named_and_no_others()
    {
        await using var bus = await LocalServiceBus.StartAsync("orders", "invoices");

        Assert.Equal(["invoices", "orders"], bus.Entities.Queues.Select(queue => queue.Name));
        Assert.Contains($"Endpoint=sb://127.0.0.1:{bus.Address.Port};", bus.ConnectionString, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_that_cannot_be_is_refused_at_once() =>
        await Assert.ThrowsAsync<EntityException>(() => LocalServiceBus.StartAsync("orders", "no queue?"));

    [Fact]
    public async Task Queues_can_be_given_with_their_settings()
    {
        var options = new LocalServiceBusOptions { Port = 0, Queues = [new QueueOptions("orders") { MaxDeliveryCount = 2 }] };
        await using var bus = await LocalServiceBus.StartAsync(options, TestContext.Current.CancellationToken);

        Assert.Equal(2, Assert.Single(bus.Entities.Queues).Options.MaxDeliveryCount);
    }
}
