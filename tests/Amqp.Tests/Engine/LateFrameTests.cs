namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class LateFrameTests
{
    [Fact]
    public async Task Frames_to_a_session_that_was_ended_are_ignored()
    {
        using var peer = await RawPeer.SendingAsync();
        var link = await peer.Server.Links.NextAsync();
        link.Session.BeginEnd(new AmqpError("com.example:enough"));
        Assert.True(link.IsClosed);

        await peer.TransferAsync(0, [1]);
        await peer.AttachAsync(LinkRole.Receiver, handle: 1, name: "late");
        await peer.FlowAsync(credit: 1, handle: 77);
        await peer.SendAsync(0, Disposition.Code, true, 0u, 9u, true);
        await peer.FindAsync(End.Code);
        await peer.SendAsync(0, End.Code);

        await AssertAliveAsync(peer);
        Assert.True(peer.Server.ReceiverHandler.Deliveries.IsEmpty);
        Assert.True(peer.Server.Links.IsEmpty);
    }

    [Fact]
    public async Task Frames_after_the_peers_own_end_are_ignored()
    {
        using var peer = await RawPeer.BeginAsync();
        await peer.SendAsync(0, End.Code);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.TransferAsync(0, [1]);
        await peer.FlowAsync(credit: 1);
        await peer.SendAsync(0, End.Code);
        await peer.NextAsync(End.Code);
        Assert.Equal("session ended", await peer.Server.Log.NextAsync());

        await AssertAliveAsync(peer);
        Assert.True(peer.Server.Links.IsEmpty);
    }

    [Fact]
    public async Task Frames_to_a_link_that_was_detached_are_ignored()
    {
        using var peer = await RawPeer.SendingAsync();
        var link = await peer.Server.Links.NextAsync();
        var detaching = link.DetachAsync(new AmqpError("com.example:enough"), Limit.Token);

        await peer.TransferAsync(0, [1]);
        await peer.FlowAsync(credit: 1, echo: true);
        Assert.Equal("com.example:enough", (await peer.FindAsync(Detach.Code)).Error(2)?.Condition.Value);
        Assert.False(detaching.IsCompleted);
        await peer.SendAsync(0, Detach.Code, 0u, true);
        await detaching;

        Assert.True(peer.Server.ReceiverHandler.Deliveries.IsEmpty);
        Assert.Equal("com.example:enough", (await peer.Server.ReceiverHandler.Detached.NextAsync())?.Condition.Value);
        await AssertAliveAsync(peer, channel: 1);
    }

    [Fact]
    public async Task Flow_after_the_attach_counts_when_the_link_is_accepted_later()
    {
        var attaches = new Events<(AmqpSession Session, Attach Attach)>();
        var server = new TestServer { OnAttached = (_, session, attach) => attaches.Add((session, attach)) };
        await using var peer = await RawPeer.BeginAsync(server);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.FlowAsync(credit: 5);
        await peer.SendAsync(0, Flow.Code, 0u, 100u, 0u, 100u, null, null, null, null, false, true);
        await peer.NextAsync(Flow.Code); // All of it has been read.
        var (session, attach) = await attaches.NextAsync();

        var link = session.Accept<SenderLink>(
            attach,
            new Attach { Source = attach.Source, Target = attach.Target },
            server.SenderHandler
        );

        Assert.Equal(5u, link.Credit);
        Assert.True(server.SenderHandler.Flows.IsEmpty);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Link_accepted_after_the_peer_left_is_detached(bool endsSession)
    {
        var attaches = new Events<(AmqpSession Session, Attach Attach)>();
        var server = new TestServer { OnAttached = (_, session, attach) => attaches.Add((session, attach)) };
        using var peer = await RawPeer.BeginAsync(server);
        await peer.AttachAsync(LinkRole.Receiver);
        if (endsSession)
            await peer.SendAsync(0, End.Code);
        else
            await peer.SendAsync(0, Detach.Code, 0u, true);
        await peer.FindAsync(endsSession ? End.Code : Detach.Code);
        var (session, attach) = await attaches.NextAsync();

        var link = session.Accept<SenderLink>(attach, new Attach { Source = attach.Source }, server.SenderHandler);

        Assert.True(link.IsClosed);
        Assert.False(server.SenderHandler.Detached.IsEmpty);
        await AssertAliveAsync(peer, channel: 1);
        await server.SenderHandler.Detached.NextAsync();
        Assert.True(server.SenderHandler.Detached.IsEmpty);
    }

    private static async Task AssertAliveAsync(RawPeer peer, ushort channel = 0)
    {
        await peer.SendAsync(channel, Begin.Code, null, 0u, 100u, 100u);
        await peer.FindAsync(Begin.Code);
        await peer.HangUpAsync();
    }
}
