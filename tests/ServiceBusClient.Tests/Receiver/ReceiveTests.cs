namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class ReceiveTests : BusTest
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(50);

    [Fact]
    public async Task An_empty_queue_gives_nothing_within_the_wait()
    {
        var receiver = Receiver(Broker.CreateQueue());

        Assert.Null(await receiver.ReceiveMessageAsync(Short, Cancelled));
        Assert.Empty(await receiver.ReceiveMessagesAsync(10, Short, Cancelled));
    }

    [Fact]
    public async Task A_waiting_receive_gets_the_message_when_it_comes()
    {
        var queue = Broker.CreateQueue();
        var waiting = OneAsync(Receiver(queue));

        await SendAsync(queue, 1);

        Assert.Equal("1", (await waiting).MessageId);
    }

    [Fact]
    public async Task A_receive_may_wait_for_ever()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);

        var message = await Receiver(queue).ReceiveMessageAsync(TimeSpan.MaxValue, Cancelled);

        Assert.Equal("1", message?.MessageId);
    }

    [Fact]
    public async Task A_receive_of_several_returns_what_is_there_and_not_more_than_asked()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 10);
        var receiver = Receiver(queue);

        var first = await receiver.ReceiveMessagesAsync(4, Patience, Cancelled);
        var rest = new List<ServiceBusReceivedMessage>();
        while (rest.Count < 6)
            rest.AddRange(await receiver.ReceiveMessagesAsync(100, Patience, Cancelled));

        Assert.InRange(first.Count, 1, 4);
        Assert.Equal(
            Enumerable.Range(1, 10).Select(number => $"{number}"),
            first.Concat(rest).Select(message => message.MessageId).Take(10));
    }

    [Fact]
    public async Task All_messages_come_as_a_stream()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 5);
        var receiver = Receiver(queue);

        var ids = new List<string?>();
        await foreach (var message in receiver.ReceiveMessagesAsync(Cancelled))
        {
            await receiver.CompleteMessageAsync(message, Cancelled);
            ids.Add(message.MessageId);
            if (ids.Count == 5)
                break;
        }

        Assert.Equal(["1", "2", "3", "4", "5"], ids);
        Assert.Equal(5, queue.Counts().Completed);
    }

    [Fact]
    public async Task Receive_and_delete_takes_the_message_out_of_the_queue()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue, new() { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete });

        var message = await OneAsync(receiver);

        // Counted once it is sent.
        await Eventually.HoldsAsync(() => queue.Counts() is { Active: 0, Locked: 0, Completed: 1 });
        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.CompleteMessageAsync(message, Cancelled));
    }

    [Fact]
    public async Task Receive_and_delete_with_prefetch_loses_nothing_that_the_broker_handed_out()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 100);
        var receiver = Receiver(queue, new() { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete, PrefetchCount = 10 });

        var ids = new List<string?>();
        while (ids.Count < 100)
            ids.AddRange((await receiver.ReceiveMessagesAsync(7, Patience, Cancelled)).Select(message => message.MessageId));

        Assert.Equal(Enumerable.Range(1, 100).Select(number => $"{number}"), ids);
    }

    [Fact]
    public async Task Credit_that_a_timed_out_receive_left_behind_locks_no_message()
    {
        var queue = Broker.CreateQueue();
        var gaveUp = Receiver(queue);
        Assert.Null(await gaveUp.ReceiveMessageAsync(Short, Cancelled));

        await SendAsync(queue, 1);
        var message = await OneAsync(Receiver(queue));

        Assert.Equal(1, message.DeliveryCount);
    }

    [Fact]
    public async Task A_cancelled_receive_ends_and_the_receiver_goes_on()
    {
        var queue = Broker.CreateQueue();
        var receiver = Receiver(queue);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Cancelled);
        var waiting = receiver.ReceiveMessageAsync(Patience, cancellation.Token);
        await Eventually.HoldsAsync(async () => (await CountersAsync(queue)).GetProperty("links").GetArrayLength() == 1);

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await SendAsync(queue, 1);

        Assert.Equal("1", (await OneAsync(receiver)).MessageId);
    }

    [Fact]
    public async Task A_peek_shows_messages_without_locking_them_and_goes_on_where_it_was()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 3);
        var receiver = Receiver(queue);

        var first = await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        var next = await receiver.PeekMessagesAsync(10, cancellationToken: Cancelled);
        var none = await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        var again = await receiver.PeekMessageAsync(fromSequenceNumber: first!.SequenceNumber, Cancelled);

        Assert.Equal("1", first.MessageId);
        Assert.Equal(["2", "3"], next.Select(message => message.MessageId));
        Assert.Null(none);
        Assert.Equal("1", again!.MessageId);
        Assert.Equal((3, 0), (queue.Counts().Active, queue.Counts().Locked));
        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.CompleteMessageAsync(first, Cancelled));
    }

    [Fact]
    public async Task A_peek_goes_on_after_one_that_said_where_to_begin()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 4);
        var receiver = Receiver(queue);

        var second = await receiver.PeekMessageAsync(fromSequenceNumber: 2, Cancelled);
        var rest = await receiver.PeekMessagesAsync(10, cancellationToken: Cancelled);

        Assert.Equal("2", second!.MessageId);
        Assert.Equal(["3", "4"], rest.Select(message => message.MessageId));
    }

    [Fact]
    public async Task A_queue_that_does_not_exist_is_not_found()
    {
        await using var receiver = Client.CreateReceiver("nowhere");

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => receiver.ReceiveMessageAsync(Patience, Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, error.Reason);
    }

    [Fact]
    public async Task A_closed_receiver_says_that_it_is_closed()
    {
        var receiver = Receiver(Broker.CreateQueue());
        await receiver.CloseAsync(Cancelled);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiver.ReceiveMessageAsync(Patience, Cancelled));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiver.PeekMessageAsync(cancellationToken: Cancelled));
    }

    [Fact]
    public async Task Waits_and_counts_out_of_range_are_refused()
    {
        var receiver = Receiver(Broker.CreateQueue());

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => receiver.ReceiveMessagesAsync(0, Patience, Cancelled));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => receiver.ReceiveMessageAsync(TimeSpan.Zero, Cancelled));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => receiver.PeekMessagesAsync(0, null, Cancelled));
        var prefetching = Receiver(Broker.CreateQueue(), new() { PrefetchCount = 1 });
        Assert.Null(await prefetching.ReceiveMessageAsync(TimeSpan.Zero, Cancelled));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => prefetching.ReceiveMessageAsync(TimeSpan.FromTicks(-1), Cancelled));
    }

    [Fact]
    public async Task Requests_go_on_after_the_credit_of_their_first_answers()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);

        for (var request = 0; request < 120; request++)
            Assert.NotNull(await receiver.PeekMessageAsync(fromSequenceNumber: 1, Cancelled));
    }
}
