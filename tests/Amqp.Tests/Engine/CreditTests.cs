namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class CreditTests
{
    private static readonly byte[] Payload = [1];

    [Theory]
    [InlineData(5u, 2u, 3u)] // restated while two are under way
    [InlineData(2u, 2u, 0u)] // reduced to what is under way
    [InlineData(1u, 2u, 0u)] // reduced below it
    [InlineData(5u, 0u, 5u)]
    public async Task Credit_is_counted_from_the_delivery_count_that_the_receiver_had_seen(
        uint credit,
        uint alreadySent,
        uint left
    )
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 2);
        SendAll(peer.Link, (int)alreadySent);

        await peer.FlowAsync(credit, deliveryCount: 0);

        Assert.Equal((left, false), await peer.Server.SenderHandler.Flows.NextAsync());
        Assert.Equal((int)left, SendAll(peer.Link, 10));
    }

    [Fact]
    public async Task A_flow_without_a_delivery_count_counts_from_the_first()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 0);
        foreach (var (granted, left) in ((uint, uint)[])[(5, 5), (5, 0), (7, 2)])
        {
            await peer.SendAsync(0, Flow.Code, 0u, uint.MaxValue, 0u, 100u, 0u, null, granted);
            Assert.Equal((left, false), await peer.Server.SenderHandler.Flows.NextAsync());
            Assert.Equal((int)left, SendAll(peer.Link, 10));
        }
    }

    [Fact]
    public async Task An_aborted_message_is_dropped_and_gives_its_credit_back_for_ever()
    {
        var server = new TestServer { Credit = 3 };
        await using var peer = await RawPeer.SendingAsync(server);
        for (var id = 0u; id < 20; id++)
        {
            await peer.TransferAsync(id, Payload, more: id % 2 == 0);
            if (id % 2 == 0)
                await peer.TransferAsync(null, Payload, aborted: true);
        }
        var received = await server.ReceiverHandler.Deliveries.TakeAsync(3);
        Assert.Equal([1u, 3u, 5u], received.Select(message => message.Id)); // three were delivered, as granted
        Assert.All(received, message => Assert.Equal(Payload, message.Payload)); // and with nothing of those that were aborted
        Assert.Equal(
            ErrorConditions.TransferLimitExceeded,
            (await peer.FindAsync(Detach.Code)).Error(2)?.Condition.Value
        );
        Assert.True(server.ReceiverHandler.Deliveries.IsEmpty);
    }

    [Theory]
    [InlineData(0, false)] // and what was under way then is received
    [InlineData(2, true)]
    public async Task An_aborted_message_gives_no_credit_that_was_taken_back_or_is_drained(uint credit, bool drain)
    {
        var server = new TestServer { Credit = 2 };
        await using var peer = await RawPeer.SendingAsync(server);
        var link = (ReceiverLink)await server.Links.NextAsync();
        link.SetCredit(credit, drain);
        await peer.TransferAsync(0, Payload, aborted: true);
        await peer.TransferAsync(1, Payload);
        await server.ReceiverHandler.Deliveries.NextAsync();
        Assert.Equal(0u, link.Credit);
    }

    [Fact]
    public async Task A_drain_that_the_receiver_gave_up_gives_no_credit_back()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 0);
        await peer.FlowAsync(credit: 10, drain: true);
        await peer.FlowAsync(credit: 4);
        Assert.Equal([(10u, true), (4u, false)], await peer.Server.SenderHandler.Flows.TakeAsync(2));

        peer.Link.CompleteDrain();

        Assert.Equal(4u, peer.Link.Credit);
        await peer.WindowAsync(100, echo: true);
        Assert.Null((await peer.NextAsync(Flow.Code)).Fields[4]); // no flow of the link before the session's
    }

    [Fact]
    public async Task Delivery_count_and_ids_wrap_around()
    {
        await using var pair = await Pair.OpenAsync(listener: new TestServer { Credit = 10 });
        var session = await pair.Client.BeginSessionAsync(
            new SessionOptions { FirstId = uint.MaxValue - 1 },
            Limit.Token
        );
        var attach = new Attach
        {
            Name = "s",
            Target = new Target(),
            InitialDeliveryCount = uint.MaxValue - 1,
        };
        var link = await session.AttachSenderAsync(attach, new TestSender(), Limit.Token);

        for (var i = 0; i < 5; i++)
            Assert.Same(Accepted.Instance, await link.SendAsync(Payload, 0, settled: false, Limit.Token));

        var received = await pair.Server.ReceiverHandler.Deliveries.TakeAsync(5);
        Assert.Equal([uint.MaxValue - 1, uint.MaxValue, 0u, 1u, 2u], received.Select(m => m.Id));
        Assert.Equal(5u, link.Credit);
        received[0].Link.SetCredit(7);
        await Eventually.TrueAsync(() => link.Credit == 7);
    }

    [Fact]
    public async Task An_echo_is_answered_with_the_links_state()
    {
        var server = new TestServer { Credit = 7 };
        await using var peer = await RawPeer.SendingAsync(server);
        await peer.FindAsync(Flow.Code);

        await peer.FlowAsync(credit: 0, echo: true);

        var answer = await peer.NextAsync(Flow.Code);
        Assert.Equal((0u, 0u, 7u), (answer.Fields[4], answer.Fields[5], answer.Fields[6]));
    }

    [Fact]
    public async Task Credit_that_is_added_again_and_again_ends_at_the_most_that_there_is()
    {
        await using var pair = await Pair.OpenAsync(listener: new TestServer { Credit = 0 });
        await pair.SenderAsync();
        var link = (ReceiverLink)await pair.Server.Links.NextAsync();

        link.AddCredit(10);
        link.AddCredit(uint.MaxValue);

        Assert.Equal((uint)int.MaxValue, link.Credit);
    }

    private static int SendAll(SenderLink link, int count)
    {
        var sent = 0;
        while (sent < count && link.TrySend([(byte)sent], Payload, default, 0, settled: false, null, out _))
            sent++;
        return sent;
    }
}
