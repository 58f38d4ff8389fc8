using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class SessionReceiverTests : BusTest
{
    private readonly ManualTimeProvider _time = new();

    protected override TimeProvider Time => _time;

    [Fact]
    public async Task A_session_is_taken_by_its_id_and_only_its_messages_come()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "a1");
        await SendToSessionAsync(queue, "b", "b1", "b2");

        var receiver = await AcceptAsync(queue, "b");
        var messages = await receiver.ReceiveMessagesAsync(2, Patience, Cancelled);

        Assert.Equal(("b", false), (receiver.SessionId, receiver.IsClosed));
        Assert.Equal(["b1", "b2"], messages.Select(message => message.Body.ToString()));
        Assert.All(messages, message => Assert.Equal("b", message.SessionId));
    }

    [Fact]
    public async Task The_next_session_is_one_that_has_messages_and_no_receiver()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "a1");
        await SendToSessionAsync(queue, "b", "b1");

        var first = Owned(await Client.AcceptNextSessionAsync(queue.Name, cancellationToken: Cancelled));
        var second = Owned(await Client.AcceptNextSessionAsync(queue.Name, cancellationToken: Cancelled));

        Assert.Equal(("a", "b"), (first.SessionId, second.SessionId));
    }

    [Fact]
    public async Task Where_no_session_has_messages_the_acceptance_times_out()
    {
        var queue = CreateSessionQueue();
        var client = NewClient(options => options.RetryOptions.MaxRetries = 0);
        await client.CreateSender(queue.Name).CreateMessageBatchAsync(Cancelled); // connects, which takes no time of this clock

        var accepting = client.AcceptNextSessionAsync(queue.Name, cancellationToken: Cancelled);
        await AdvanceUntilOverAsync(accepting, TimeSpan.FromSeconds(5));

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => accepting);
        Assert.Equal((ServiceBusFailureReason.ServiceTimeout, true), (error.Reason, error.IsTransient));
    }

    [Fact]
    public async Task An_acceptance_waits_for_a_session_and_can_be_cancelled()
    {
        var queue = CreateSessionQueue();
        using var cancellation = new CancellationTokenSource();
        var cancelled = Client.AcceptNextSessionAsync(queue.Name, cancellationToken: cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);

        var given = Client.AcceptNextSessionAsync(queue.Name, cancellationToken: Cancelled);
        await SendToSessionAsync(queue, "a", "a1");

        Assert.Equal("a", Owned(await given).SessionId);
    }

    [Fact]
    public async Task A_session_that_another_receiver_has_cannot_be_locked_until_that_one_is_closed()
    {
        var queue = CreateSessionQueue();
        var first = await AcceptAsync(queue, "a");

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => AcceptAsync(queue, "a"));
        Assert.Equal((ServiceBusFailureReason.SessionCannotBeLocked, false), (error.Reason, error.IsTransient));
        await first.CloseAsync(Cancelled);

        Assert.Equal("a", (await AcceptAsync(queue, "a")).SessionId);
    }

    [Fact]
    public async Task Messages_are_settled_in_every_way()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1", "2", "3", "4");
        var receiver = await AcceptAsync(queue, "a");

        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), "why", cancellationToken: Cancelled);
        await receiver.AbandonMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);
        var again = await OneAsync(receiver);
        await receiver.DeferMessageAsync(again, cancellationToken: Cancelled);
        var deferred = await receiver.ReceiveDeferredMessageAsync(again.SequenceNumber, Cancelled);
        await receiver.CompleteMessageAsync(deferred, Cancelled);

        Assert.Equal(("3", 2, "3"), (again.Body.ToString(), again.DeliveryCount, deferred.Body.ToString()));
        Assert.Equal((2, 1, 1), (queue.Counts().Completed, queue.Counts().DeadLettered, queue.Counts().Abandoned));
    }

    [Fact]
    public async Task A_session_keeps_its_state_from_one_receiver_to_the_next()
    {
        var queue = CreateSessionQueue();
        var first = await AcceptAsync(queue, "a");
        Assert.Null(await first.GetSessionStateAsync(Cancelled));
        await first.SetSessionStateAsync(new BinaryData("half done"), Cancelled);
        await first.CloseAsync(Cancelled);

        var second = await AcceptAsync(queue, "a");

        Assert.Equal("half done", (await second.GetSessionStateAsync(Cancelled))?.ToString());
        await second.SetSessionStateAsync(null, Cancelled);
        Assert.Null(await second.GetSessionStateAsync(Cancelled));
    }

    [Fact]
    public async Task A_renewal_moves_the_end_of_the_lock()
    {
        var queue = CreateSessionQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        var receiver = await AcceptAsync(queue, "a");
        Assert.Equal(_time.GetUtcNow().AddSeconds(10), receiver.SessionLockedUntil);

        _time.Advance(TimeSpan.FromSeconds(4));
        await receiver.RenewSessionLockAsync(Cancelled);

        Assert.Equal(_time.GetUtcNow().AddSeconds(10), receiver.SessionLockedUntil);
    }

    [Fact]
    public async Task When_the_lock_has_expired_the_receiver_is_closed_and_every_operation_says_so()
    {
        var queue = CreateSessionQueue(options => options with { LockDuration = TimeSpan.FromSeconds(10) });
        await SendToSessionAsync(queue, "a", "1");
        var receiver = await AcceptAsync(queue, "a");
        var message = await OneAsync(receiver);

        _time.Advance(TimeSpan.FromSeconds(11));
        await Eventually.HoldsAsync(() => receiver.IsClosed);

        await LostAsync(() => receiver.CompleteMessageAsync(message, Cancelled));
        await LostAsync(() => receiver.ReceiveMessageAsync(Patience, Cancelled));
        await LostAsync(() => receiver.PeekMessageAsync(cancellationToken: Cancelled));
        await LostAsync(() => receiver.ReceiveDeferredMessageAsync(1, Cancelled));
        await LostAsync(() => receiver.RenewSessionLockAsync(Cancelled));
        await LostAsync(() => receiver.GetSessionStateAsync(Cancelled));
        await LostAsync(() => receiver.SetSessionStateAsync(new BinaryData("x"), Cancelled));
        Assert.Equal(2, (await OneAsync(await AcceptAsync(queue, "a"))).DeliveryCount);
    }

    [Fact]
    public async Task A_receive_that_waits_hears_that_the_session_is_lost_with_its_connection()
    {
        var queue = CreateSessionQueue();
        var receiver = await AcceptAsync(queue, "a");
        var receiving = receiver.ReceiveMessageAsync(Patience, Cancelled);

        Broker.Broker.DropConnections();
        await AdvanceUntilOverAsync(receiving, TimeSpan.FromMilliseconds(50));

        await LostAsync(() => receiving);
        Assert.True(receiver.IsClosed);
    }

    [Fact]
    public async Task A_closed_receiver_is_disposed()
    {
        var receiver = await AcceptAsync(CreateSessionQueue(), "a");

        await receiver.DisposeAsync();

        Assert.True(receiver.IsClosed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiver.ReceiveMessageAsync(Patience, Cancelled));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiver.GetSessionStateAsync(Cancelled));
    }

    [Fact]
    public async Task What_comes_after_a_receive_gave_up_waits_in_its_order_for_the_next_one()
    {
        var queue = CreateSessionQueue();
        var receiver = await AcceptAsync(queue, "a");
        var first = receiver.ReceiveMessagesAsync(5, TimeSpan.FromSeconds(1), Cancelled);
        await AdvanceUntilOverAsync(first, TimeSpan.FromSeconds(1));
        Assert.Empty(await first);

        await SendToSessionAsync(queue, "a", "1", "2", "3");
        await Eventually.HoldsAsync(() => queue.Counts() is { Locked: 3, Outgoing: 3 });
        // The answer comes after them on the same connection: the receiver has all three.
        await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        var second = await receiver.ReceiveMessagesAsync(5, Patience, Cancelled);

        Assert.Equal(["1", "2", "3"], second.Select(message => message.Body.ToString()));
    }

    [Fact]
    public async Task Buffered_messages_go_back_uncounted_with_the_session()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1", "2", "3");
        var options = new ServiceBusSessionReceiverOptions { PrefetchCount = 10 };
        var receiver = Owned(await Client.AcceptSessionAsync(queue.Name, "a", options, Cancelled));
        await OneAsync(receiver);
        await Eventually.HoldsAsync(() => queue.Counts().Locked == 3);

        await receiver.CloseAsync(Cancelled);
        var again = await (await AcceptAsync(queue, "a")).ReceiveMessagesAsync(3, Patience, Cancelled);

        Assert.Equal(["1", "2", "3"], again.Select(message => message.Body.ToString()));
        Assert.All(again, message => Assert.Equal(1, message.DeliveryCount));
    }

    [Fact]
    public async Task A_peek_shows_the_messages_of_the_session_alone()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "a1");
        await SendToSessionAsync(queue, "b", "b1");

        var peeked = await (await AcceptAsync(queue, "b")).PeekMessagesAsync(10, cancellationToken: Cancelled);

        Assert.Equal("b1", Assert.Single(peeked).Body.ToString());
    }

    [Fact]
    public async Task Its_messages_are_locked_with_the_session_and_not_one_by_one()
    {
        var queue = CreateSessionQueue();
        await SendToSessionAsync(queue, "a", "1");
        var receiver = await AcceptAsync(queue, "a");
        var message = await OneAsync(receiver);

        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.RenewMessageLockAsync(message, Cancelled));
    }

    [Fact]
    public async Task Only_an_entity_with_sessions_is_received_from_by_session()
    {
        var plain = Broker.CreateQueue();
        var withSessions = CreateSessionQueue();

        await Assert.ThrowsAsync<InvalidOperationException>(() => AcceptAsync(plain, "a"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Receiver(withSessions).ReceiveMessageAsync(Patience, Cancelled));
    }

    [Fact]
    public async Task A_broker_that_gives_no_session_is_asked_again()
    {
        await using var server = new ScriptedServer(TimeProvider.System);
        var options = new ServiceBusClientOptions { RetryOptions = { MaxRetries = 2, Delay = TimeSpan.FromMilliseconds(1) } };
        await using var client = new ServiceBusClient(server.ConnectionString, options);

        // It echoes the filter that asks for any session.
        var error = await Assert.ThrowsAsync<ServiceBusException>(() => client.AcceptNextSessionAsync("orders", null, Cancelled));

        Assert.Equal((ServiceBusFailureReason.GeneralError, true), (error.Reason, error.IsTransient));
        await Eventually.HoldsAsync(() => server.Addresses.SequenceEqual(["$cbs"]));
    }

    private async Task<ServiceBusSessionReceiver> AcceptAsync(Queue queue, string sessionId) =>
        Owned(await Client.AcceptSessionAsync(queue.Name, sessionId, cancellationToken: Cancelled));

    private async Task AdvanceUntilOverAsync(Task task, TimeSpan step) => await Eventually.HoldsAsync(() =>
    {
        _time.Advance(step);
        return task.IsCompleted;
    });

    private static async Task LostAsync(Func<Task> operation)
    {
        var error = await Assert.ThrowsAsync<ServiceBusException>(operation);
        Assert.Equal((ServiceBusFailureReason.SessionLockLost, false), (error.Reason, error.IsTransient));
    }
}
