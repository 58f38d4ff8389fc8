namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class SettlementTests
{
    [Fact]
    public async Task Range_over_settled_ids_reports_only_the_others()
    {
        using var peer = await SentAsync(5);
        peer.Link.Settle(1, Accepted.Instance);
        peer.Link.Settle(3, Accepted.Instance);

        await DisposeAsync(peer, 0, 4, settled: false, Released.Instance);

        var reported = await peer.Server.SenderHandler.Dispositions.TakeAsync(3);
        Assert.Equal([0u, 2u, 4u], reported.Select(d => d.Id));
        Assert.All(reported, d => Assert.Equal((Released.Instance, false), (d.State, d.Settled)));
        await peer.HangUpAsync();
        Assert.True(peer.Server.SenderHandler.Dispositions.IsEmpty);
    }

    [Fact]
    public async Task Deliveries_settled_by_the_peer_are_forgotten()
    {
        await using var peer = await SentAsync(2);
        await DisposeAsync(peer, 1, null, settled: true, Accepted.Instance);
        // The cost depends only on the number of unsettled deliveries.
        await DisposeAsync(peer, 0, int.MaxValue, settled: true, Accepted.Instance);

        var reported = await peer.Server.SenderHandler.Dispositions.TakeAsync(2);

        Assert.Equal([1u, 0u], reported.Select(d => d.Id)); // A missing last equals the first.
        peer.Link.Settle(0, Accepted.Instance);
        peer.Link.Settle(1, Accepted.Instance);
        await peer.SendAsync(0, Detach.Code, 0u, true); // No disposition precedes the response.
        await peer.NextAsync(Detach.Code);
    }

    [Fact]
    public void Long_range_across_the_wraparound_is_reported_in_order()
    {
        var unsettled = new UnsettledDeliveries(null);
        var ids = new uint[] { 1, uint.MaxValue, 2, 0, uint.MaxValue - 5, uint.MaxValue - 6 };
        foreach (var id in ids)
            Assert.True(unsettled.TryAdd(id, null!, null));
        var reported = new List<(uint Id, UnsettledDelivery)>();
        unsettled.Report(
            new Disposition
            {
                First = uint.MaxValue - 5,
                Last = 1,
                Settled = true,
            },
            reported
        );
        Assert.Equal([uint.MaxValue - 5, uint.MaxValue, 0u, 1u], reported.Select(entry => entry.Id));
        Assert.Equal(2, unsettled.Count);
    }

    [Fact]
    public async Task Adjacent_settlements_are_sent_as_one_range()
    {
        await using var peer = await SentAsync(8);
        // All of these responses are written while the read loop still handles the one frame. The hold keeps another
        // sending thread from sending the first of them separately.
        peer.Server.SenderHandler.WhenDisposition = (link, id, state) =>
        {
            using var together = link.Session.Connection.Hold();
            if (id == 6)
            {
                foreach (var settled in new uint[] { 2, 1, 3, 5, 6 })
                    link.Settle(settled, Accepted.Instance);
            }

            if (id == 7)
                link.Settle(7, Released.Instance);
        };
        await DisposeAsync(peer, 6, 7, settled: false, Accepted.Instance);

        Assert.Equal(
            [(1u, 3u, 0x24ul), (5u, 6u, 0x24ul), (7u, 7u, 0x26ul)],
            [
                Range(await peer.NextAsync(Disposition.Code)),
                Range(await peer.NextAsync(Disposition.Code)),
                Range(await peer.NextAsync(Disposition.Code)),
            ]
        );
    }

    [Fact]
    public async Task Settlements_written_before_a_detach_are_sent_before_it()
    {
        await using var peer = await SentAsync(1);
        peer.Server.SenderHandler.WhenDisposition = (link, id, state) =>
        {
            link.Settle(id, state!);
            _ = link.DetachAsync();
        };
        await DisposeAsync(peer, 0, 0, settled: false, Accepted.Instance);

        var answer = await peer.NextAsync(Disposition.Code);

        Assert.Equal((false, true), (answer.Fields[0], answer.Fields[3]));
        await peer.NextAsync(Detach.Code);
    }

    [Fact]
    public async Task State_that_cannot_be_encoded_leaves_no_trace()
    {
        await using var peer = await SentAsync(1);

        var bad = new Modified(MessageAnnotations: new() { ["x"] = new Version(1, 0) });
        Assert.Throws<ArgumentException>(() => peer.Link.Settle(0, bad));
        peer.Link.Settle(0, Accepted.Instance);

        Assert.Equal((0u, 0u, 0x24ul), Range(await peer.NextAsync(Disposition.Code)));
    }

    [Fact]
    public async Task State_of_a_transfer_applies_only_to_its_delivery()
    {
        await using var peer = await RawPeer.SendingAsync();
        var inTransaction = RawPeer.Composite(TransactionalState.Code, new byte[] { 7 });
        await peer.WriteAsync(
            RawPeer.Encode(0, Transfer.Code, [0u, 0u, new byte[] { 1 }, 0u, true, false, null, inTransaction], [1])
        );
        await peer.TransferAsync(1, [1]);
        var messages = await peer.Server.ReceiverHandler.Deliveries.TakeAsync(2);
        Assert.IsType<TransactionalState>(messages[0].State);
        Assert.Null(messages[1].State);
        Assert.Equal([true, false], messages.Select(message => message.Settled));
        Assert.Equal(1u, (await peer.FindAsync(Disposition.Code)).Fields[1]);

        // The state of the first frame applies to the whole message.
        await peer.WriteAsync(
            RawPeer.Encode(0, Transfer.Code, [0u, 2u, new byte[] { 1 }, 0u, false, true, null, inTransaction], [1])
        );
        await peer.TransferAsync(null, [2], more: true);
        await peer.TransferAsync(null, [3]);
        Assert.IsType<TransactionalState>((await peer.Server.ReceiverHandler.Deliveries.NextAsync()).State);
    }

    [Fact]
    public async Task Settled_and_unsettled_dispositions_are_not_merged()
    {
        await using var peer = await RawPeer.SendingAsync();
        peer.Server.ReceiverHandler.Settle = null;
        for (var id = 0u; id < 2; id++)
            await peer.TransferAsync(id, [1]);
        var messages = await peer.Server.ReceiverHandler.Deliveries.TakeAsync(2);
        // Both responses are written while the read loop still handles the one frame.
        peer.Server.SenderHandler.WhenFlow = _ =>
        {
            foreach (var message in messages)
                message.Link.Settle(message.Id, Accepted.Instance, settled: message.Id == 1);
        };
        await peer.AttachAsync(LinkRole.Receiver, 1, "r");
        await peer.FlowAsync(credit: 1, handle: 1);

        foreach (var id in new[] { 0u, 1u })
        {
            var disposition = await peer.FindAsync(Disposition.Code);
            Assert.Equal((id, id, id == 1), (disposition.Fields[1], disposition.Fields[2], disposition.Fields[3]));
        }
    }

    [Fact]
    public async Task State_that_is_not_an_outcome_is_ignored()
    {
        await using var peer = await SentAsync(1);
        foreach (var state in (DeliveryState?[])[new Received(0, 1), new Declared([1]), null, Accepted.Instance])
            await DisposeAsync(peer, 0, 0, settled: false, state);
        Assert.Same(Accepted.Instance, (await peer.Server.SenderHandler.Dispositions.NextAsync()).State);
        await DisposeAsync(peer, 0, 0, settled: true, new Received(0, 1));
        Assert.True((await peer.Server.SenderHandler.Dispositions.NextAsync()).Settled);
    }

    private static async Task<RawPeer> SentAsync(int count)
    {
        var peer = await RawPeer.ReceivingAsync(credit: 100);
        for (byte i = 0; i < count; i++)
            Assert.True(peer.Link.TrySend([i], [i], default, 0, settled: false, null, out _));
        for (var i = 0; i < count; i++)
            await peer.NextAsync(Transfer.Code);
        return peer;
    }

    private static Task DisposeAsync(RawPeer peer, uint first, uint? last, bool settled, DeliveryState? state) =>
        peer.SendAsync(0, Disposition.Code, true, first, last, settled, state is null ? null : AsValue(state));

    private static object? AsValue(DeliveryState state) => new AmqpReader(Bytes.Encode(state.Write)).ReadValue();

    private static (uint, uint, ulong) Range(RawFrame frame)
    {
        Assert.Equal((false, true), (frame.Fields[0], frame.Fields[3])); // From the sender, and settled.
        return ((uint)frame.Fields[1]!, (uint)frame.Fields[2]!, (ulong)((DescribedValue)frame.Fields[4]!).Descriptor);
    }
}
