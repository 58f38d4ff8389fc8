using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class PrefetchTests : BusTest
{
    private readonly ManualTimeProvider _time = new();

    protected override TimeProvider Time => _time;

    [Fact]
    public async Task The_broker_hands_out_as_many_as_the_prefetch_count_and_not_one_more()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 100);
        var receiver = Receiver(queue, new() { PrefetchCount = 30 });

        await OneAsync(receiver);

        await Eventually.HoldsAsync(() => queue.Counts().Locked == 30);
        Assert.Equal(30, await MaxUnsettledAsync(queue));
    }

    [Fact]
    public async Task Credit_comes_back_in_lots_of_two_thirds()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 100);
        var receiver = Receiver(queue, new() { PrefetchCount = 30 });

        for (var settled = 1; settled < 20; settled++)
        {
            await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);
            await HandedOutAsync(queue, 30);
        }

        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Outgoing == 50);
        Assert.Equal(30, await MaxUnsettledAsync(queue));
    }

    [Fact]
    public async Task A_prefetch_count_that_rises_lets_the_broker_hand_out_more_at_once()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 100);
        var receiver = Receiver(queue, new() { PrefetchCount = 5 });
        await OneAsync(receiver);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 5);

        receiver.UpdatePrefetchCount(30);

        await Eventually.HoldsAsync(() => queue.Counts().Locked == 30);
        Assert.Equal((30, 30), (receiver.PrefetchCount, await MaxUnsettledAsync(queue)));
    }

    [Fact]
    public async Task A_prefetch_count_that_falls_holds_once_what_is_too_much_is_settled()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 100);
        var receiver = Receiver(queue, new() { PrefetchCount = 20 });
        var first = await OneAsync(receiver);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 20);

        receiver.UpdatePrefetchCount(6);
        await receiver.CompleteMessageAsync(first, Cancelled);
        for (var settled = 2; settled <= 17; settled++)
            await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);
        await HandedOutAsync(queue, 20);
        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);

        // 14 were too many; a lot is 4 here.
        await Eventually.HoldsAsync(() => queue.Counts() is { Outgoing: 24, Locked: 6 });
    }

    [Fact]
    public async Task Without_prefetch_any_more_credit_is_called_back_and_follows_the_receives()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 2);
        var receiver = Receiver(queue, new() { PrefetchCount = 10 });
        await OneAsync(receiver);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 2);

        receiver.UpdatePrefetchCount(0);
        await Eventually.HoldsAsync(async () => await CreditAsync(queue) == 0);
        await SendAsync(queue, 3);
        await HandedOutAsync(queue, 2);
        for (var received = 2; received <= 5; received++)
            await OneAsync(receiver);

        await HandedOutAsync(queue, 5);
        Assert.Equal(0, await CreditAsync(queue));
        receiver.UpdatePrefetchCount(8);
        // 5 are held.
        await Eventually.HoldsAsync(async () => await CreditAsync(queue) == 3);
    }

    [Fact]
    public async Task A_settlement_refused_because_the_lock_is_lost_gives_its_credit_back_too()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(5), MaxDeliveryCount = 100 });
        await SendAsync(queue, 100);
        var receiver = Receiver(queue, new() { PrefetchCount = 3 });
        ServiceBusReceivedMessage[] messages = [await OneAsync(receiver), await OneAsync(receiver), await OneAsync(receiver)];
        _time.Advance(TimeSpan.FromSeconds(6));

        foreach (var message in messages)
            await Assert.ThrowsAsync<ServiceBusException>(() => receiver.CompleteMessageAsync(message, Cancelled));

        // A lot is 2 here: after 3 settlements 2 messages more may come.
        await Eventually.HoldsAsync(() => queue.Counts().Outgoing == 5);
        Assert.Equal(3, queue.Counts().LockLost);
    }

    [Fact]
    public async Task A_message_keeps_its_lock_time_while_it_is_buffered()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(5) });
        await SendAsync(queue, 2);
        var receiver = Receiver(queue, new() { PrefetchCount = 2 });
        await OneAsync(receiver);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 2);

        _time.Advance(TimeSpan.FromSeconds(6));
        var stale = await OneAsync(receiver);

        Assert.Equal("2", stale.MessageId);
        Assert.True(stale.LockedUntil < _time.GetUtcNow());
        var error = await Assert.ThrowsAsync<ServiceBusException>(() => receiver.CompleteMessageAsync(stale, Cancelled));
        Assert.Equal(ServiceBusFailureReason.MessageLockLost, error.Reason);
    }

    [Fact]
    public async Task Closing_gives_buffered_messages_back_without_counting_a_delivery()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 10);
        var closing = Receiver(queue, new() { PrefetchCount = 10 });
        await OneAsync(closing);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 10);

        await closing.CloseAsync(Cancelled);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 1);
        var received = await OneAsync(Receiver(queue));

        Assert.Equal(("2", 1), (received.MessageId, received.DeliveryCount));
    }

    [Fact]
    public async Task What_came_for_a_batch_that_was_cancelled_goes_back_to_the_queue()
    {
        var queue = Broker.CreateQueue();
        var receiver = Receiver(queue);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Cancelled);
        var batch = receiver.ReceiveMessagesAsync(10, TimeSpan.FromHours(1), cancellation.Token);
        await SendAsync(queue, 1);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 1);
        // Its answer comes over the same connection, so after the message; the clock does not move, so the batch goes on waiting for more.
        await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        Assert.False(batch.IsCompleted);

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => batch);

        await Eventually.HoldsAsync(() => queue.Counts() is { Locked: 0, Active: 1 });
        Assert.Equal(1, (await OneAsync(Receiver(queue))).DeliveryCount);
    }

    private async Task<int> CreditAsync(Queue queue) =>
        (await CountersAsync(queue)).GetProperty("links").EnumerateArray().Single().GetProperty("credit").GetInt32();

    private async Task<int> MaxUnsettledAsync(Queue queue) =>
        (await CountersAsync(queue)).GetProperty("links").EnumerateArray().Max(link => link.GetProperty("maxUnsettled").GetInt32());
}
