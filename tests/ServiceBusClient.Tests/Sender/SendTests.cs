using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Sender;

public sealed class SendTests : BusTest
{
    private readonly ManualTimeProvider _time = new();

    protected override TimeProvider Time => _time;

    [Fact]
    public async Task A_message_that_was_sent_is_received_as_it_was()
    {
        var queue = Broker.CreateQueue();
        var sent = new ServiceBusMessage("body") { MessageId = "id", Subject = "subject", ApplicationProperties = { ["count"] = 3 } };

        await Sender(queue).SendMessageAsync(sent, Cancelled);
        var received = await OneAsync(Receiver(queue));

        Assert.Equal("body", received.Body.ToString());
        Assert.Equal(("id", "subject", 3), (received.MessageId, received.Subject, received.ApplicationProperties["count"]));
        Assert.Equal(1, received.DeliveryCount);
        Assert.Equal(_time.GetUtcNow() + queue.Options.LockDuration, received.LockedUntil);
    }

    [Fact]
    public async Task Several_messages_arrive_in_their_order()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 50);

        var received = await Receiver(queue).PeekMessagesAsync(100, cancellationToken: Cancelled);

        Assert.Equal(Enumerable.Range(1, 50).Select(number => $"{number}"), received.Select(message => message.MessageId));
    }

    [Fact]
    public async Task A_batch_takes_what_fits_and_the_broker_takes_the_batch()
    {
        var queue = Broker.CreateQueue();
        var sender = Sender(queue);
        using var batch = await sender.CreateMessageBatchAsync(Cancelled);

        var added = 0;
        while (batch.TryAddMessage(new ServiceBusMessage(new byte[1000])))
            added++;
        await sender.SendMessagesAsync(batch, Cancelled);

        Assert.Equal(queue.Options.MaxMessageSize, batch.MaxSizeInBytes);
        Assert.InRange(added, 240, 262);
        Assert.Equal(added, queue.Counts().Active);
    }

    [Fact]
    public async Task A_batch_of_one_message_is_a_message()
    {
        var queue = Broker.CreateQueue();
        var sender = Sender(queue);
        using var batch = await sender.CreateMessageBatchAsync(Cancelled);
        batch.TryAddMessage(new ServiceBusMessage("only"));

        await sender.SendMessagesAsync(batch, Cancelled);

        Assert.Equal("only", (await OneAsync(Receiver(queue))).Body.ToString());
    }

    [Fact]
    public async Task More_than_the_broker_takes_cannot_be_asked_for()
    {
        var sender = Sender(Broker.CreateQueue());

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await sender.CreateMessageBatchAsync(new CreateMessageBatchOptions { MaxSizeInBytes = 10_000_000 }, Cancelled));
    }

    [Fact]
    public async Task A_message_or_a_list_that_is_too_large_is_refused_and_nothing_is_sent()
    {
        var queue = Broker.CreateQueue();
        var sender = Sender(queue);

        var one = await Assert.ThrowsAsync<ServiceBusException>(
            () => sender.SendMessageAsync(new ServiceBusMessage(new byte[300_000]), Cancelled));
        var many = await Assert.ThrowsAsync<ServiceBusException>(
            () => sender.SendMessagesAsync(Enumerable.Range(0, 3).Select(_ => new ServiceBusMessage(new byte[100_000])), Cancelled));

        Assert.All([one, many], error => Assert.Equal(ServiceBusFailureReason.MessageSizeExceeded, error.Reason));
        Assert.False(one.IsTransient);
        Assert.Equal(0, queue.Counts().Incoming);
    }

    [Fact]
    public async Task A_queue_that_does_not_exist_is_not_found()
    {
        await using var sender = Client.CreateSender("nowhere");

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => sender.SendMessageAsync(new ServiceBusMessage("lost"), Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, error.Reason);
        Assert.Contains("nowhere", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_scheduled_message_comes_when_it_is_due()
    {
        var queue = Broker.CreateQueue();
        var due = _time.GetUtcNow().AddSeconds(10);

        var number = await Sender(queue).ScheduleMessageAsync(new ServiceBusMessage("later") { MessageId = "id" }, due, Cancelled);
        var peeked = await Receiver(queue).PeekMessageAsync(cancellationToken: Cancelled);
        Assert.Equal((1, 0), (queue.Counts().Scheduled, queue.Counts().Active));
        _time.Advance(TimeSpan.FromSeconds(10));
        var received = await OneAsync(Receiver(queue));

        Assert.Equal(number, peeked!.SequenceNumber);
        Assert.Equal(ServiceBusMessageState.Scheduled, peeked.State);
        Assert.Equal(due, peeked.ScheduledEnqueueTime);
        Assert.Equal("later", received.Body.ToString());
    }

    [Fact]
    public async Task A_message_may_carry_its_own_due_time()
    {
        var queue = Broker.CreateQueue();

        await Sender(queue).SendMessageAsync(
            new ServiceBusMessage("later") { ScheduledEnqueueTime = _time.GetUtcNow().AddSeconds(10) }, Cancelled);

        Assert.Equal((1, 0), (queue.Counts().Scheduled, queue.Counts().Active));
    }

    [Fact]
    public async Task Scheduled_messages_can_be_cancelled()
    {
        var queue = Broker.CreateQueue();
        var sender = Sender(queue);
        var due = _time.GetUtcNow().AddSeconds(10);
        var numbers = await sender.ScheduleMessagesAsync([new("1"), new("2"), new("3")], due, Cancelled);

        await sender.CancelScheduledMessageAsync(numbers[0], Cancelled);
        await sender.CancelScheduledMessagesAsync(numbers.Skip(1), Cancelled);

        Assert.Equal(3, numbers.Distinct().Count());
        Assert.Equal((0, 3), (queue.Counts().Scheduled, queue.Counts().Cancelled));
    }

    [Fact]
    public async Task All_senders_and_receivers_of_a_client_share_a_connection()
    {
        var queue = Broker.CreateQueue();

        await Task.WhenAll(Enumerable.Range(0, 5).Select(_ => Sender(queue).SendMessageAsync(new ServiceBusMessage("x"), Cancelled)));
        await OneAsync(Receiver(queue));

        Assert.Equal(1, await ConnectionsAsync());
    }

    [Fact]
    public async Task A_closed_sender_says_that_it_is_closed()
    {
        var queue = Broker.CreateQueue();
        var closed = Sender(queue);
        await closed.CloseAsync(Cancelled);
        var orphan = Sender(queue);
        await Client.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => closed.SendMessageAsync(new ServiceBusMessage("x"), Cancelled));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => orphan.SendMessageAsync(new ServiceBusMessage("x"), Cancelled));
        Assert.True(closed.IsClosed);
        Assert.Throws<ObjectDisposedException>(() => Client.CreateSender(queue.Name));
    }
}
