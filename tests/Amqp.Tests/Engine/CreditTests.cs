namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class CreditTests
{
    private static readonly byte[] Payload = [1];

    [Theory]
    [InlineData(5u, 2u, 3u)] // Restated while two are in transit.
    [InlineData(2u, 2u, 0u)] // Reduced to those in transit.
    [InlineData(1u, 2u, 0u)] // Reduced below them.
    [InlineData(5u, 0u, 5u)]
    public async Task Credit_counts_from_the_delivery_count_that_the_receiver_saw(
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
    public async Task Flow_without_a_delivery_count_counts_from_the_first_delivery()
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
    public async Task Aborted_message_is_dropped_and_returns_its_credit()
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
        Assert.Equal([1u, 3u, 5u], received.Select(message => message.Id)); // Three were delivered, as granted.
        // They contain nothing of the aborted ones.
        Assert.All(received, message => Assert.Equal(Payload, message.Payload));
        Assert.Equal(
            ErrorConditions.TransferLimitExceeded,
            (await peer.FindAsync(Detach.Code)).Error(2)?.Condition.Value
        );
        Assert.True(server.ReceiverHandler.Deliveries.IsEmpty);
    }

    [Theory]
    [InlineData(0, false)] // Messages in transit are received.
    [InlineData(2, true)]
    public async Task Aborted_message_returns_no_revoked_or_drained_credit(uint credit, bool drain)
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
    public async Task Drain_canceled_by_the_receiver_returns_no_credit()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 0);
        await peer.FlowAsync(credit: 10, drain: true);
        await peer.FlowAsync(credit: 4);
        Assert.Equal([(10u, true), (4u, false)], await peer.Server.SenderHandler.Flows.TakeAsync(2));

        peer.Link.CompleteDrain();

        Assert.Equal(4u, peer.Link.Credit);
        await peer.WindowAsync(100, echo: true);
        Assert.Null((await peer.NextAsync(Flow.Code)).Fields[4]); // No flow of the link precedes the session's.
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
    public async Task Echo_returns_the_state_of_the_link()
    {
        var server = new TestServer { Credit = 7 };
        await using var peer = await RawPeer.SendingAsync(server);
        await peer.FindAsync(Flow.Code);

        await peer.FlowAsync(credit: 0, echo: true);

        var answer = await peer.NextAsync(Flow.Code);
        Assert.Equal((0u, 0u, 7u), (answer.Fields[4], answer.Fields[5], answer.Fields[6]));
    }

    [Fact]
    public async Task Added_credit_saturates_at_the_maximum()
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
