using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.ServiceBusSdk.Tests;

/// <summary>
/// The number of messages that the broker delivers ahead, seen from the broker. The SDK counts a settlement twice if
/// its response overtakes the call, and then grants one credit too many. Here, no response arrives before the call
/// returns.
/// </summary>
public sealed class CreditTests(DistantBus bus) : BusTest(bus), IClassFixture<DistantBus>
{
    [Theory]
    [InlineData(10, 6)]
    [InlineData(100, 66)]
    [InlineData(3000, 100)]
    public async Task Credit_is_granted_in_lots_up_to_the_prefetch_count(int prefetch, int lot)
    {
        var queue = await FilledQueueAsync(prefetch + (2 * lot));
        var receiver = Client.CreateReceiver(queue.Name, new ServiceBusReceiverOptions { PrefetchCount = prefetch });
        for (var lots = 0; lots < 2; lots++)
        {
            var messages = await ManyAsync(receiver, lot);
            await HandedOutAsync(queue, prefetch + (lots * lot));

            await SettleAsync(receiver, queue, messages[..^1]);
            Assert.Equal(prefetch + (lots * lot), queue.Counts().Outgoing);
            Assert.Equal(0u, Assert.Single(bus.Local.Broker.LinksOf(queue)).Credit);

            await SettleAsync(receiver, queue, messages[^1..]);
            await HandedOutAsync(queue, prefetch + ((lots + 1) * lot));
        }

        var link = Assert.Single(bus.Local.Broker.LinksOf(queue));
        Assert.Equal((prefetch, prefetch), (link.Unsettled, link.MaxUnsettled));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    public async Task Credit_equals_pending_receives_without_prefetch(int calls)
    {
        var queue = await FilledQueueAsync(0);
        var receiver = Receiver(queue.Name);
        var waiting = Enumerable.Range(0, calls).Select(_ => OneAsync(receiver)).ToList();
        await CreditIsAsync(queue, calls);
        var batch = receiver.ReceiveMessagesAsync(10, MaxWait, Cancelled);
        await CreditIsAsync(queue, calls + 10);

        await SendAsync(queue.Name, calls + 10);

        await Task.WhenAll(waiting);
        Assert.NotEmpty(await batch);
    }

    private async Task<Queue> FilledQueueAsync(int count)
    {
        var name = await CreateQueueAsync();
        for (var sent = 0; sent < count; sent += 1000)
            await SendAsync(name, Math.Min(1000, count - sent));
        return bus.Local.Broker.Entities.Get(name);
    }

    private async Task SettleAsync(ServiceBusReceiver receiver, Queue queue, List<ServiceBusReceivedMessage> messages)
    {
        var completed = queue.Counts().Completed;
        var settling = messages.Select(message => receiver.CompleteMessageAsync(message, Cancelled)).ToList();
        await Eventually.TrueAsync(() => queue.Counts().Completed == completed + messages.Count);
        // The response may not be on its way yet when the queue has counted the settlement.
        await Eventually.TrueAsync(() =>
        {
            bus.Clock.Advance(DistantBus.RoundTrip);
            return settling.TrueForAll(one => one.IsCompleted);
        });
        await Task.WhenAll(settling);
    }

    private static Task HandedOutAsync(Queue queue, int count) =>
        Eventually.TrueAsync(() => queue.Counts().Outgoing == count);

    private Task CreditIsAsync(Queue queue, int credit) =>
        Eventually.TrueAsync(() => bus.Local.Broker.LinksOf(queue) is [var link] && link.Credit == credit);
}
