namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class Windows
{
    [Fact]
    public async Task Transfers_beyond_the_peers_window_wait_in_order()
    {
        var server = new TestServer();
        using var peer = await RawPeer.BeginAsync(server, incomingWindow: 2);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.NextAsync(Attach.Code);
        await peer.FlowAsync(credit: 10, window: 2);
        await server.SenderHandler.Flows.NextAsync();
        var link = (SenderLink)await server.Links.NextAsync();
        for (byte i = 0; i < 5; i++) Assert.True(link.TrySend([i], [i], default, 0, settled: true, null, out _));

        Assert.Equal((0, 1), (await NextByteAsync(peer), await NextByteAsync(peer)));
        link.Flow(echo: true); // would come behind a third transfer
        var flow = await peer.NextAsync(Flow.Code);
        Assert.Equal(2u, flow.Fields[2]); // next-outgoing-id counts what was really sent

        await peer.FlowAsync(credit: 10, nextIncomingId: 2, window: 2);
        Assert.Equal((2, 3), (await NextByteAsync(peer), await NextByteAsync(peer)));
        await peer.FlowAsync(credit: 10, nextIncomingId: 4, window: 2);
        Assert.Equal(4, await NextByteAsync(peer));
        await peer.HangUpAsync();
    }

    [Fact]
    public async Task What_waits_for_the_window_is_dropped_with_its_link()
    {
        var server = new TestServer();
        using var peer = await RawPeer.BeginAsync(server, incomingWindow: 0);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.NextAsync(Attach.Code);
        await peer.FlowAsync(credit: 10, window: 0);
        await server.SenderHandler.Flows.NextAsync();
        var link = (SenderLink)await server.Links.NextAsync();
        Assert.True(link.TrySend([1], [1], default, 0, settled: true, null, out _));

        await peer.SendAsync(0, Detach.Code, 0u, true);
        await peer.NextAsync(Detach.Code);
        await peer.SendAsync(0, Flow.Code, 0u, 100u, 0u, 100u, null, null, null, null, false, true);

        await peer.NextAsync(Flow.Code); // and no transfer before it
        await peer.HangUpAsync();
    }

    [Fact]
    public async Task The_own_window_is_opened_again_when_half_of_it_is_used()
    {
        var (peer, client) = await RawPeer.ServeAsync();
        using var _ = peer;
        var beginning = client.BeginSessionAsync(new SessionOptions { IncomingWindow = 4 }, Limit.Token);
        Assert.Equal(4u, (await peer.NextAsync(Begin.Code)).Fields[2]);
        await peer.SendAsync(0, Begin.Code, (ushort)0, 7u, 100u, 100u);
        var session = await beginning;
        var attaching = session.AttachReceiverAsync(new Attach { Name = "l", Source = new Source() }, new TestReceiver(), Limit.Token);
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
    public async Task More_transfers_than_the_window_allows_end_the_session()
    {
        var (peer, client) = await RawPeer.ServeAsync();
        using var _ = peer;
        var beginning = client.BeginSessionAsync(new SessionOptions { IncomingWindow = 0 }, Limit.Token);
        await peer.NextAsync(Begin.Code);
        await peer.SendAsync(0, Begin.Code, (ushort)0, 0u, 100u, 100u);
        await beginning;

        await peer.TransferAsync(0, [1]);

        Assert.Equal(ErrorConditions.WindowViolation, (await peer.NextAsync(End.Code)).Error(0)?.Condition.Value);
        client.Abort();
        await client.Closed;
    }

    private static async Task<int> NextByteAsync(RawPeer peer) => (await peer.NextAsync(Transfer.Code)).Payload[0];
}
