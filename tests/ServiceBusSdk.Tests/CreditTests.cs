using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.ServiceBusSdk.Tests;

/// <summary>
/// How many messages the SDK lets the broker hand out, seen from the broker. It counts a settlement whose answer overtakes the call twice,
/// and grants a message too many: here no answer comes before the call is over.
/// </summary>
public sealed class CreditTests(DistantBus bus) : BusTest(bus), IClassFixture<DistantBus>
{
    [Theory]
    [InlineData(10, 6)]
    [InlineData(100, 66)]
    [InlineData(3000, 100)]
    public async Task Credit_comes_back_in_lots_and_no_more_are_held_than_are_prefetched(int prefetch, int lot)
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
    public async Task Without_prefetch_the_credit_is_what_the_receives_that_wait_ask_for(int calls)
    {
        var queue = await FilledQueueAsync(0);
        var receiver = Receiver(queue.Name);
        var waiting = Enumerable.Range(0, calls).Select(_ => OneAsync(receiver)).ToList();
        await CreditIsAsync(queue, calls);
        var batch = receiver.ReceiveMessagesAsync(10, Patience, Cancelled);
        await CreditIsAsync(queue, calls + 10);

        await SendAsync(queue.Name, calls + 10);

        await Task.WhenAll(waiting);
        Assert.NotEmpty(await batch);
    }

    [Fact]
    public async Task Without_prefetch_no_more_are_held_than_there_are_calls()
    {
        const int Calls = 4, Rounds = 10;
        var queue = await FilledQueueAsync(Calls * Rounds);
        var receiver = Receiver(queue.Name);
        for (var round = 0; round < Rounds; round++)
        {
            var messages = await Task.WhenAll(Enumerable.Range(0, Calls).Select(_ => OneAsync(receiver)));
            Assert.Equal(Calls, queue.Counts().Locked);
            await SettleAsync(receiver, queue, [.. messages]);
        }

        Assert.Equal((Calls * Rounds, Calls * Rounds), (queue.Counts().Outgoing, queue.Counts().Completed));
        Assert.Equal(Calls, Assert.Single(bus.Local.Broker.LinksOf(queue)).MaxUnsettled);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    public async Task A_receive_that_timed_out_leaves_its_credit_and_what_comes_for_it_goes_back_uncounted(int asked)
    {
        var queue = await FilledQueueAsync(0);
        var receiver = Receiver(queue.Name);
        Assert.Empty(await receiver.ReceiveMessagesAsync(asked, TimeSpan.FromMilliseconds(100), Cancelled));
        Assert.Equal((uint)asked, Assert.Single(bus.Local.Broker.LinksOf(queue)).Credit);

        await SendAsync(queue.Name, 1);
        await Eventually.TrueAsync(() => queue.Counts() is { Locked: 0, Active: 1 } counts && counts.Outgoing == asked);

        // It went to and fro until the credit was used up; none of that counts as a delivery, or is heard of by who asks next.
        Assert.Equal(0u, Assert.Single(bus.Local.Broker.LinksOf(queue)).Credit);
        Assert.Equal(1, (await OneAsync(receiver)).DeliveryCount);
    }

    [Fact]
    public async Task A_receive_of_a_session_that_timed_out_takes_its_credit_back()
    {
        var name = await CreateSessionQueueAsync();
        var queue = bus.Local.Broker.Entities.Get(name);
        var receiver = await Client.AcceptSessionAsync(name, "a", cancellationToken: Cancelled);
        Assert.Empty(await receiver.ReceiveMessagesAsync(10, TimeSpan.FromMilliseconds(100), Cancelled));
        await CreditIsAsync(queue, 0);

        await SendToSessionAsync(name, "a", "1", "2");

        Assert.Equal(["1", "2"], Bodies(await ManyAsync(receiver, 2)));
        Assert.Equal(2, queue.Counts().Outgoing);
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
        // An answer may not be on its way yet when the queue has counted it.
        await AdvanceUntilAsync(() => settling.All(one => one.IsCompleted));
        await Task.WhenAll(settling);
    }

    private Task AdvanceUntilAsync(Func<bool> condition) => Eventually.TrueAsync(() =>
    {
        bus.Clock.Advance(DistantBus.RoundTrip);
        return condition();
    });

    private static Task HandedOutAsync(Queue queue, int count) => Eventually.TrueAsync(() => queue.Counts().Outgoing == count);

    private Task CreditIsAsync(Queue queue, int credit) =>
        Eventually.TrueAsync(() => bus.Local.Broker.LinksOf(queue) is [var link] && link.Credit == credit);
}
