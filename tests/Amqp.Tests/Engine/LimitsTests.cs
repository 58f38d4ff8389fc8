namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class LimitsTests
{
    [Fact]
    public async Task Link_gets_the_lowest_free_handle_and_releases_it()
    {
        await using var peer = await RawPeer.BeginAsync();
        for (var round = 0; round < 3; round++)
        {
            for (var handle = 0u; handle < 2; handle++)
            {
                // The peer's own handles, 6 and 5, are irrelevant.
                await peer.AttachAsync(LinkRole.Receiver, 6 - handle, $"l{round}-{handle}");
                Assert.Equal(handle, (await peer.NextAsync(Attach.Code)).Fields[1]);
            }
            for (var handle = 0u; handle < 2; handle++)
            {
                var closed = handle == 0; // Otherwise, the peer may attach again.
                await peer.SendAsync(0, Detach.Code, 6 - handle, closed);
                var detach = await peer.NextAsync(Detach.Code);
                Assert.Equal((handle, closed), (detach.Fields[0], detach.Fields[1]));
            }
        }
    }

    [Fact]
    public async Task Link_over_the_limit_ends_its_session()
    {
        await using var peer = await RawPeer.BeginAsync(options: o => o.MaxLinks = 2);
        for (var round = 0; round < 3; round++)
        {
            await peer.AttachAsync(LinkRole.Receiver, name: $"a{round}");
            await peer.NextAsync(Attach.Code);
            await peer.SendAsync(0, Detach.Code, 0u, true);
            await peer.NextAsync(Detach.Code);
        }
        await peer.BeginAsync(1);
        await peer.AttachAsync(LinkRole.Receiver, 0, "b");
        await peer.AttachAsync(LinkRole.Receiver, 1, "c");
        await peer.AttachAsync(LinkRole.Receiver, 2, "d");

        Assert.Equal(ErrorConditions.ResourceLimitExceeded, (await peer.FindAsync(End.Code)).Error(0)?.Condition.Value);
        await peer.SendAsync(0, End.Code);
        await peer.SendAsync(
            1,
            Attach.Code,
            "e",
            0u,
            true,
            null,
            null,
            RawPeer.Composite(Source.Code),
            RawPeer.Composite(Target.Code)
        );
        Assert.Equal(1, (await peer.NextAsync(Attach.Code)).Channel); // The links ended with their session.
    }

    [Fact]
    public async Task Thousands_of_values_in_one_attach_close_the_connection()
    {
        using var peer = await RawPeer.BeginAsync();
        var properties = new Dictionary<Symbol, object?> { ["p"] = Enumerable.Repeat((object?)0u, 5000).ToList() };
        await peer.SendAsync(
            0,
            Attach.Code,
            "l",
            0u,
            true,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            properties
        );
        await peer.ExpectCloseAsync(ErrorConditions.ResourceLimitExceeded);
    }

    [Fact]
    public async Task Unfinished_messages_of_all_links_share_one_limit()
    {
        await using var peer = await RawPeer.BeginAsync(options: o => o.MaxPartialBytes = 1000);
        for (var handle = 0u; handle < 2; handle++)
            await peer.AttachAsync(LinkRole.Sender, handle, $"l{handle}");
        for (var part = 0; part < 3; part++)
            await peer.TransferAsync(0, new byte[600], more: true);
        await peer.TransferAsync(0, new byte[200]);
        Assert.Equal(2000, (await peer.Server.ReceiverHandler.Deliveries.NextAsync()).Payload.Length);

        await peer.TransferAsync(1, new byte[600], more: true);
        await peer.TransferAsync(null, [], aborted: true);
        await peer.TransferAsync(2, new byte[600], more: true);
        await peer.TransferAsync(3, new byte[400], more: true, handle: 1);
        await peer.TransferAsync(3, new byte[1], more: true, handle: 1);

        var detach = await peer.FindAsync(Detach.Code);
        Assert.Equal((1u, ErrorConditions.ResourceLimitExceeded), (detach.Fields[0], detach.Error(2)?.Condition.Value));
        await peer.TransferAsync(2, new byte[600]);
        Assert.Equal(1200, (await peer.Server.ReceiverHandler.Deliveries.NextAsync()).Payload.Length);
    }

    [Fact]
    public async Task Unfinished_message_is_dropped_with_its_link()
    {
        await using var peer = await RawPeer.BeginAsync(options: o => o.MaxPartialBytes = 1000);
        for (var round = 0u; round < 3; round++)
        {
            await peer.AttachAsync(LinkRole.Sender, 0, $"a{round}");
            await peer.TransferAsync(round, new byte[900], more: true);
            await peer.SendAsync(0, Detach.Code, 0u, true);
        }
        for (var handle = 0u; handle < 2; handle++)
            await peer.AttachAsync(LinkRole.Sender, handle, $"b{handle}");
        await peer.TransferAsync(3, new byte[500], more: true);
        await peer.TransferAsync(4, new byte[500], more: true, handle: 1);
        await peer.TransferAsync(4, [], handle: 1);
        Assert.Equal(500, (await peer.Server.ReceiverHandler.Deliveries.NextAsync()).Payload.Length);
    }

    [Fact]
    public async Task Peer_at_its_unsettled_limit_gets_only_settled_messages()
    {
        using var peer = await RawPeer.ReceivingAsync(credit: 100, options: o => o.MaxUnsettled = 16);
        var (connection, room) = (await peer.Server.Connection, new Events<bool>());
        peer.Server.WhenDrained = () => room.Add(connection.IsUnsettledFull);

        for (var i = 0; i < 16; i++)
            Assert.True(Send(settled: false));
        Assert.Equal((true, false, true), (connection.IsUnsettledFull, Send(settled: false), Send(settled: true)));

        peer.Link.Settle(0, Accepted.Instance);
        Assert.Equal((true, false), (connection.IsUnsettledFull, Send(settled: false)));
        // No response is written for it.
        await peer.SendAsync(0, Disposition.Code, true, 1u, 1u, true, RawPeer.Composite(Accepted.Code));
        Assert.False(await room.NextAsync());
        Assert.Equal([true, true, false], Enumerable.Range(0, 3).Select(_ => Send(settled: false)));

        await peer.SendAsync(0, Detach.Code, 0u, true);
        await peer.Server.SenderHandler.Detached.NextAsync();
        Assert.Equal(0, connection.Allowance.Unsettled.Amount);
        Assert.False(await room.NextAsync());
        await peer.HangUpAsync();

        bool Send(bool settled) => peer.Link.TrySend([1], [1], default, 0, settled, null, out _);
    }

    [Theory]
    [InlineData(Flow.Code)]
    [InlineData(Detach.Code)]
    [InlineData(End.Code)]
    public async Task Partially_sent_messages_of_all_sessions_share_one_limit(ulong release)
    {
        using var peer = await RawPeer.BeginAsync(
            incomingWindow: 1,
            options: o => o.MaxPartialBytes = 2000,
            maxFrameSize: 512
        );
        await peer.BeginAsync(1);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.FlowAsync(credit: 10, window: 1);
        await peer.SendAsync(
            1,
            Attach.Code,
            "m",
            0u,
            true,
            null,
            null,
            RawPeer.Composite(Source.Code),
            RawPeer.Composite(Target.Code)
        );
        await peer.SendAsync(1, Flow.Code, 0u, 100u, 0u, 100u, 0u, 0u, 10u);
        var links = (await peer.Server.Links.TakeAsync(2)).Cast<SenderLink>().ToList();
        await peer.Server.SenderHandler.Flows.TakeAsync(2);
        var (connection, room) = (await peer.Server.Connection, new Events<bool>());
        peer.Server.WhenDrained = () => room.Add(links[1].CanSend);

        Assert.True(Send(links[1], 3000)); // Its window is open, so it is sent completely.
        Assert.True(Send(links[0], 3000));
        Assert.Equal((false, false), (links[1].CanSend, Send(links[1], 1)));

        if (release == Flow.Code)
            await peer.WindowAsync(100, nextIncomingId: 1);
        if (release == Detach.Code)
            await peer.SendAsync(0, Detach.Code, 0u, true);
        if (release == End.Code)
            await peer.SendAsync(0, End.Code);
        Assert.True(await room.NextAsync());
        Assert.True(Send(links[1], 1));
        Assert.Equal(0, connection.Allowance.Blocked.Amount);
        await peer.HangUpAsync();

        static bool Send(SenderLink link, int size) =>
            link.TrySend([1], new byte[size], default, 0, settled: true, null, out _);
    }
}
