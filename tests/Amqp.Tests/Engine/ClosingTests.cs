namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class ClosingTests
{
    [Fact]
    public async Task Closing_notifies_link_session_and_connection_once()
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
    public async Task Broken_transport_ends_sessions_and_links_once()
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
    public async Task Closing_twice_closes_once()
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
    public async Task Handler_that_throws_closes_the_connection()
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
    public async Task Backlog_of_a_peer_drains_when_it_reads_again()
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
