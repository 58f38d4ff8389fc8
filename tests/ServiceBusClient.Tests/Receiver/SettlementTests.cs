using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class SettlementTests : BusTest
{
    private readonly ManualTimeProvider _time = new();

    protected override TimeProvider Time => _time;

    [Fact]
    public async Task Complete_removes_the_message()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);

        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);

        Assert.Equal((0, 0, 1), (queue.Counts().Active, queue.Counts().Locked, queue.Counts().Completed));
    }

    [Fact]
    public async Task Abandon_gives_the_message_back_with_changed_properties_and_counts_the_delivery()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);

        await receiver.AbandonMessageAsync(await OneAsync(receiver), new Dictionary<string, object> { ["attempt"] = 1 }, Cancelled);
        var again = await OneAsync(receiver);

        Assert.Equal(2, again.DeliveryCount);
        Assert.Equal(1, again.ApplicationProperties["attempt"]);
        Assert.Equal(1, queue.Counts().Abandoned);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Changed_properties_have_every_type_that_a_message_carries(bool isDeferred)
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        var message = await OneAsync(receiver);
        if (isDeferred)
        {
            await receiver.DeferMessageAsync(message, cancellationToken: Cancelled);
            message = await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber, Cancelled); // settled through $management
        }
        var changes = new Dictionary<string, object>
        {
            ["at"] = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
            ["for"] = TimeSpan.FromMinutes(5),
            ["see"] = new Uri("https://example.com/a"),
            ["id"] = Guid.NewGuid(),
        };

        await receiver.AbandonMessageAsync(message, changes, Cancelled);
        var again = isDeferred ? await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber, Cancelled) : await OneAsync(receiver);

        foreach (var (name, value) in changes)
            Assert.Equal(value, again.ApplicationProperties[name]);
    }

    [Fact]
    public async Task Dead_letter_moves_the_message_with_reason_and_description()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 3);
        var receiver = Receiver(queue);

        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), "why", "how", Cancelled);
        await receiver.DeadLetterMessageAsync(
            await OneAsync(receiver), new Dictionary<string, object> { ["x"] = 1 }, "why", cancellationToken: Cancelled);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);

        var dead = Receiver(queue, new() { SubQueue = SubQueue.DeadLetter });
        var (first, second, third) = (await OneAsync(dead), await OneAsync(dead), await OneAsync(dead));
        await dead.CompleteMessageAsync(first, Cancelled);

        Assert.Equal(("why", "how"), (first.DeadLetterReason, first.DeadLetterErrorDescription));
        Assert.Equal(("why", 1), (second.DeadLetterReason, second.ApplicationProperties["x"]));
        Assert.Null(third.DeadLetterReason);
        Assert.Equal(3, queue.Counts().DeadLettered);
        Assert.Equal(2, queue.Counts().DeadLetter);
        Assert.Equal($"{queue.Name}/$DeadLetterQueue", dead.EntityPath);
    }

    [Fact]
    public async Task Deferred_messages_are_received_by_number_and_settled()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 2);
        var receiver = Receiver(queue);
        var (first, second) = (await OneAsync(receiver), await OneAsync(receiver));
        await receiver.DeferMessageAsync(first, cancellationToken: Cancelled);
        await receiver.DeferMessageAsync(second, new Dictionary<string, object> { ["later"] = true }, Cancelled);
        Assert.Equal(2, queue.Counts().Deferred);

        var one = await receiver.ReceiveDeferredMessageAsync(first.SequenceNumber, Cancelled);
        var rest = await receiver.ReceiveDeferredMessagesAsync([second.SequenceNumber], Cancelled);
        await receiver.CompleteMessageAsync(one, Cancelled);
        await receiver.DeadLetterMessageAsync(rest[0], "why", "how", Cancelled);
        var dead = await OneAsync(Receiver(queue, new() { SubQueue = SubQueue.DeadLetter }));

        Assert.Equal(ServiceBusMessageState.Deferred, one.State);
        Assert.Equal((true, "why", "how"), (dead.ApplicationProperties["later"], dead.DeadLetterReason, dead.DeadLetterErrorDescription));
        Assert.Equal((0, 1, 1), (queue.Counts().Deferred, queue.Counts().Completed, queue.Counts().DeadLettered));
    }

    [Fact]
    public async Task A_deferred_message_that_does_not_exist_is_not_found()
    {
        var receiver = Receiver(Broker.CreateQueue());

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => receiver.ReceiveDeferredMessageAsync(99, Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessageNotFound, error.Reason);
    }

    [Fact]
    public async Task A_renewed_lock_lasts_a_lock_duration_from_the_renewal()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(5) });
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        var message = await OneAsync(receiver);

        _time.Advance(TimeSpan.FromSeconds(4));
        await receiver.RenewMessageLockAsync(message, Cancelled);
        _time.Advance(TimeSpan.FromSeconds(4));
        await receiver.CompleteMessageAsync(message, Cancelled);

        Assert.Equal(_time.GetUtcNow().AddSeconds(1), message.LockedUntil);
        Assert.Equal(1, queue.Counts().Completed);
    }

    [Fact]
    public async Task A_settlement_or_renewal_after_the_lock_expired_is_lock_lost()
    {
        var queue = Broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(5) });
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        var message = await OneAsync(receiver);
        _time.Advance(TimeSpan.FromSeconds(5));

        var renewed = await Assert.ThrowsAsync<ServiceBusException>(() => receiver.RenewMessageLockAsync(message, Cancelled));
        var completed = await Assert.ThrowsAsync<ServiceBusException>(() => receiver.CompleteMessageAsync(message, Cancelled));

        Assert.All(
            [renewed, completed],
            error => Assert.Equal((ServiceBusFailureReason.MessageLockLost, false), (error.Reason, error.IsTransient)));
        Assert.Equal((0, 1), (queue.Counts().Completed, queue.Counts().Active));
    }

    [Fact]
    public async Task A_message_that_was_settled_is_settled_once()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        var message = await OneAsync(receiver);
        await receiver.CompleteMessageAsync(message, Cancelled);

        var again = await Assert.ThrowsAsync<ServiceBusException>(
            () => receiver.AbandonMessageAsync(message, cancellationToken: Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessageLockLost, again.Reason);
        Assert.Equal((1, 0, 0), (queue.Counts().Completed, queue.Counts().Abandoned, queue.Counts().Active));
    }
}
