namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class ClosingTests
{
    [Fact]
    public async Task Closing_tells_the_other_side_once_for_link_session_and_connection()
    {
        var pair = await Pair.OpenAsync();
        var receiver = new TestReceiver();
        await pair.ReceiverAsync(receiver, credit: 1);

        await pair.DisposeAsync();

        Assert.Equal(
            ErrorConditions.ConnectionForced,
            (await pair.Server.SenderHandler.Detached.NextAsync())?.Condition.Value
        );
        Assert.Equal(["session ended", "closed"], await pair.Server.Log.TakeAsync(2));
        Assert.NotNull(await receiver.Detached.NextAsync());
        Assert.Null(await pair.Client.Closed);
    }

    [Fact]
    public async Task A_transport_that_breaks_ends_everything_once()
    {
        var pair = await Pair.OpenAsync();
        pair.Server.ReceiverHandler.Settle = null;
        var handler = new TestSender();
        var link = await pair.SenderAsync(handler);
        var sending = link.SendAsync(new byte[] { 1 }, 0, settled: false, Limit.Token);
        await pair.Server.ReceiverHandler.Deliveries.NextAsync();

        (await pair.Server.Connection).Abort();

        await Assert.ThrowsAsync<AmqpException>(() => sending);
        Assert.Equal(ErrorConditions.ConnectionForced, (await pair.Client.Closed)?.Condition.Value);
        await pair.DisposeAsync();
        await handler.Detached.NextAsync();
        await pair.Server.ReceiverHandler.Detached.NextAsync();
        Assert.Equal(
            ["session ended", $"closed {ErrorConditions.ConnectionForced}"],
            await pair.Server.Log.TakeAsync(2)
        );
        Assert.True(
            handler.Detached.IsEmpty && pair.Server.ReceiverHandler.Detached.IsEmpty && pair.Server.Log.IsEmpty
        );
        await Assert.ThrowsAsync<AmqpException>(() => pair.Client.BeginSessionAsync(null, Limit.Token));
    }

    [Fact]
    public async Task Closing_twice_and_disposing_is_closing_once()
    {
        var pair = await Pair.OpenAsync();
        var error = new AmqpError("com.example:bye");
        await Task.WhenAll(
            pair.Client.CloseAsync(error, Limit.Token),
            pair.Client.CloseAsync(cancellationToken: Limit.Token)
        );
        await pair.DisposeAsync();
        Assert.Equal("closed com.example:bye", await pair.Server.Log.NextAsync());
        Assert.Equal(error, await pair.Client.Closed);
    }

    [Fact]
    public async Task A_handler_that_throws_closes_the_connection_and_is_heard_of()
    {
        var server = new TestServer { OnAttached = (_, _, _) => throw new InvalidOperationException("a defect") };
        using var peer = await RawPeer.BeginAsync(server);
        await peer.AttachAsync(LinkRole.Receiver);

        var close = await peer.NextAsync(Close.Code);

        Assert.Equal(new AmqpError(ErrorConditions.InternalError, "a defect"), close.Error(0));
        Assert.Equal("a defect", (await Assert.ThrowsAsync<InvalidOperationException>(peer.HangUpAsync)).Message);
        Assert.Equal(["session ended", $"closed {ErrorConditions.InternalError}"], await server.Log.TakeAsync(2));
    }

    [Fact]
    public async Task A_peer_that_does_not_read_makes_a_backlog_that_drains_when_it_does()
    {
        await using var peer = await RawPeer.ReceivingAsync(
            credit: 100,
            options: o => o.WriteBacklog = 10_000,
            pauseAt: 1024
        );
        var connection = await peer.Server.Connection;
        var drained = new TaskCompletionSource();
        peer.Server.WhenDrained = () => drained.TrySetResult();

        var sent = 0;
        while (
            !connection.IsWriteBacklogged
            && peer.Link.TrySend([1], new byte[500], default, 0, settled: true, null, out _)
        )
        {
            sent++;
        }

        Assert.InRange(sent, 10, 40);
        Assert.False(drained.Task.IsCompleted);
        for (var i = 0; i < sent; i++)
            await peer.FindAsync(Transfer.Code);
        await drained.Task.WaitAsync(Limit.Token);
        Assert.False(connection.IsWriteBacklogged);
    }
}
