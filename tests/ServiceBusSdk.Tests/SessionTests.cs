namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SessionTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task A_session_that_is_taken_by_its_id_gives_its_own_messages_in_their_order()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "a1", "a2");
        await SendToSessionAsync(queue, "b", "b1");
        await SendToSessionAsync(queue, "a", "a3");

        var receiver = await AcceptAsync(queue, "a");
        var messages = await ManyAsync(receiver, 3);

        Assert.Equal(("a", queue, false), (receiver.SessionId, receiver.EntityPath, receiver.IsClosed));
        Assert.Equal(["a1", "a2", "a3"], Bodies(messages));
        Assert.All(messages, message => Assert.Equal("a", message.SessionId));
        Assert.Equal(["a1", "a2", "a3"], Bodies(await receiver.PeekMessagesAsync(10, cancellationToken: Cancelled)));
        await AssertNothingComesAsync(receiver);
    }

    [Fact]
    public async Task The_next_session_is_one_that_has_messages_and_no_receiver()
    {
        var queue = await CreateSessionQueueAsync();
        await AcceptAsync(queue, "empty");
        await SendToSessionAsync(queue, "a", "1");
        await SendToSessionAsync(queue, "b", "1");

        var first = await Client.AcceptNextSessionAsync(queue, cancellationToken: Cancelled);
        var second = await Client.AcceptNextSessionAsync(queue, cancellationToken: Cancelled);

        Assert.Equal(["a", "b"], new[] { first.SessionId, second.SessionId }.Order());
    }

    [Fact]
    public async Task Where_no_session_has_messages_the_wait_for_one_times_out()
    {
        var queue = await CreateSessionQueueAsync();
        var client = NewClient(options =>
        {
            options.RetryOptions.MaxRetries = 0;
            options.RetryOptions.TryTimeout = TimeSpan.FromSeconds(2);
        });

        var error = await FailsAsync(
            ServiceBusFailureReason.ServiceTimeout, () => client.AcceptNextSessionAsync(queue, cancellationToken: Cancelled));

        Assert.True(error.IsTransient);
    }

    [Fact]
    public async Task A_session_keeps_its_state_from_one_receiver_to_the_next()
    {
        var queue = await CreateSessionQueueAsync();
        var first = await AcceptAsync(queue, "a");
        Assert.Null(await first.GetSessionStateAsync(Cancelled));
        await first.SetSessionStateAsync(new BinaryData("half done"), Cancelled);
        await first.CloseAsync(Cancelled);

        var second = await AcceptAsync(queue, "a");

        Assert.Equal("half done", (await second.GetSessionStateAsync(Cancelled)).ToString());
        Assert.Null(await (await AcceptAsync(queue, "b")).GetSessionStateAsync(Cancelled));
        await second.SetSessionStateAsync(null, Cancelled);
        Assert.Null(await second.GetSessionStateAsync(Cancelled));
    }

    private Task<ServiceBusSessionReceiver> AcceptAsync(string queue, string sessionId) =>
        Client.AcceptSessionAsync(queue, sessionId, cancellationToken: Cancelled);
}
