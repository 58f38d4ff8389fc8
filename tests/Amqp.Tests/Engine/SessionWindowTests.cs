namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class SessionWindowTests
{
    [Fact]
    public async Task Closed_window_accepts_no_transfers_until_a_flow_opens_it()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 10, window: 2);
        var link = peer.Link;

        Assert.Equal([true, true, false], Enumerable.Range(0, 3).Select(i => Send(link, (byte)i)));
        Assert.Equal((8u, false), (link.Credit, link.CanSend));
        Assert.Equal((0, 1), (await NextByteAsync(peer), await NextByteAsync(peer)));
        await peer.WindowAsync(0, nextIncomingId: 2, echo: true);
        // The next-outgoing-id counts only sent transfers.
        Assert.Equal(2u, (await peer.NextAsync(Flow.Code)).Fields[2]);

        await peer.FlowAsync(credit: 8, deliveryCount: 2, nextIncomingId: 2, window: 1);
        Assert.Equal((8u, false), await peer.Server.SenderHandler.Flows.NextAsync());
        Assert.Equal([true, false], Enumerable.Range(2, 2).Select(i => Send(link, (byte)i)));
        await peer.WindowAsync(1, nextIncomingId: 3);
        Assert.Equal((7u, false), await peer.Server.SenderHandler.Flows.NextAsync());
        Assert.True(Send(link, 3));
        Assert.Equal((2, 3), (await NextByteAsync(peer), await NextByteAsync(peer)));
    }

    [Fact]
    public async Task Window_counts_from_the_transfers_that_the_peer_saw()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 10, window: 2);
        await peer.WindowAsync(2, echo: true);
        await peer.NextAsync(Flow.Code);
        Assert.True(peer.Server.SenderHandler.Flows.IsEmpty);
        Assert.Equal([true, true, false], Enumerable.Range(0, 3).Select(i => Send(peer.Link, (byte)i)));

        await peer.FlowAsync(credit: 10, nextIncomingId: 1, window: 2); // The second transfer is still in transit.

        Assert.Equal((8u, false), await peer.Server.SenderHandler.Flows.NextAsync());
        Assert.Equal([true, false], Enumerable.Range(2, 2).Select(i => Send(peer.Link, (byte)i)));
    }

    [Fact]
    public async Task Rest_of_a_message_passes_the_window_before_another_message()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 10, window: 1, maxFrameSize: 512);
        var link = peer.Link;
        Assert.True(link.TrySend([1], new byte[1200], default, 0, settled: true, null, out _)); // Three frames.
        Assert.True((await peer.NextAsync(Transfer.Code)).Fields[5] is true);

        await peer.WindowAsync(1, nextIncomingId: 1);
        Assert.True((await peer.NextAsync(Transfer.Code)).Fields[5] is true);
        Assert.False(Send(link, 2));
        await peer.WindowAsync(2, nextIncomingId: 2);
        Assert.False((await peer.NextAsync(Transfer.Code)).Fields[5] is true);
        await peer.Server.SenderHandler.Flows.NextAsync();
        Assert.True(Send(link, 2));
        Assert.Equal(2, await NextByteAsync(peer));
    }

    [Fact]
    public async Task Message_that_waits_for_the_window_is_dropped_with_its_link()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 10, window: 1, maxFrameSize: 512);
        Assert.True(peer.Link.TrySend([1], new byte[700], default, 0, settled: true, null, out _));
        await peer.NextAsync(Transfer.Code);

        await peer.SendAsync(0, Detach.Code, 0u, true);
        await peer.NextAsync(Detach.Code);
        await peer.WindowAsync(100, nextIncomingId: 1, echo: true);

        await peer.NextAsync(Flow.Code); // No transfer precedes it.
    }

    [Fact]
    public async Task Window_is_reopened_when_half_of_it_is_used()
    {
        var (peer, client, session) = await RawPeer.ServeAsync(window: 4);
        using var __ = peer;
        var attaching = session.AttachReceiverAsync(
            new Attach { Name = "l", Source = new Source() },
            new TestReceiver(),
            Limit.Token
        );
        await peer.NextAsync(Attach.Code);
        await peer.AttachAsync(LinkRole.Sender);
        (await attaching).SetCredit(100);
        await peer.NextAsync(Flow.Code);

        await peer.TransferAsync(0, [1], settled: true);
        await peer.TransferAsync(1, [1], settled: true);

        var flow = await peer.NextAsync(Flow.Code);
        Assert.Equal((9u, 4u, null), (flow.Fields[0], flow.Fields[1], flow.Fields[4]));
        client.Abort();
        await client.Closed;
    }

    [Fact]
    public async Task Transfers_beyond_the_window_end_the_session()
    {
        var (peer, client, _) = await RawPeer.ServeAsync(window: 0);
        using var __ = peer;

        await peer.TransferAsync(0, [1]);

        Assert.Equal(ErrorConditions.WindowViolation, (await peer.NextAsync(End.Code)).Error(0)?.Condition.Value);
        client.Abort();
        await client.Closed;
    }

    private static bool Send(SenderLink link, byte payload) =>
        link.TrySend([payload], [payload], default, 0, settled: true, null, out _);

    private static async Task<int> NextByteAsync(RawPeer peer) => (await peer.NextAsync(Transfer.Code)).Payload[0];
}
