namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class TopicTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task Each_subscription_gets_every_message_and_settles_its_own()
    {
        var topic = await CreateTopicAsync("one", "two");
        await SendAsync(topic, 3);
        var (one, two) = (Client.CreateReceiver(topic, "one"), Client.CreateReceiver(topic, "two"));

        foreach (var message in await ManyAsync(one, 3))
            await one.CompleteMessageAsync(message, Cancelled);

        Assert.Null(await one.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
        Assert.Equal(["1", "2", "3"], Bodies(await ManyAsync(two, 3)));
    }
}
