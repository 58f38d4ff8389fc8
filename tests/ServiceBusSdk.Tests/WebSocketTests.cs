namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class WebSocketTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task Messages_go_over_WebSockets_as_over_TCP()
    {
        var queue = await CreateQueueAsync();
        var client = NewClient(options => options.TransportType = ServiceBusTransportType.AmqpWebSockets);
        // More than one frame, and more than one WebSocket message.
        var large = new string('x', 200_000);
        await client.CreateSender(queue).SendMessagesAsync([new(large), new("2")], Cancelled);
        var receiver = client.CreateReceiver(queue);

        var received = await ManyAsync(receiver, 2);
        foreach (var message in received)
            await receiver.CompleteMessageAsync(message, Cancelled);

        Assert.Equal([large, "2"], Bodies(received));
        await AssertNothingComesAsync(Receiver(queue));
    }
}
