namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ForwardingTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task A_message_goes_on_to_where_its_queue_forwards()
    {
        var end = await CreateQueueAsync();
        var start = await CreateQueueAsync(options => options.ForwardTo = end);
        await SendAsync(start, new ServiceBusMessage("far") { MessageId = "id", ApplicationProperties = { ["kept"] = 1 } });

        var message = await OneAsync(Receiver(end));

        Assert.Equal(("far", "id", 1), (message.Body.ToString(), message.MessageId, message.ApplicationProperties["kept"]));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Receiver(start).ReceiveMessageAsync(Patience, Cancelled));
    }
}
