namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class LargeMessageTests
{
    [Theory]
    [InlineData(512u, 1)]
    [InlineData(512u, 440)] // Around the space that the frame header leaves.
    [InlineData(512u, 480)]
    [InlineData(512u, 5_000)]
    [InlineData(65536u, 1_000_000)]
    public async Task Message_is_split_into_the_frames_that_the_peer_requires(uint maxFrameSize, int size)
    {
        await using var pair = await Pair.OpenAsync(
            c => c.MaxFrameSize = maxFrameSize,
            s => s.MaxFrameSize = maxFrameSize
        );
        pair.Server.SenderHandler.WhenDisposition = (link, id, state) => link.Settle(id, state!);
        var payload = Enumerable.Range(0, size).Select(i => (byte)(i * 7)).ToArray();

        var there = await pair.SenderAsync();
        Assert.Same(Accepted.Instance, await there.SendAsync(payload, 0, settled: false, Limit.Token));
        Assert.Equal(payload, (await pair.Server.ReceiverHandler.Deliveries.NextAsync()).Payload);

        var handler = new TestReceiver { Settle = null };
        await pair.Server.Links.NextAsync();
        var (back, sender) = await pair.ReceiverAsync(handler, credit: 2);
        for (var i = 0; i < 2; i++)
        {
            Assert.True(
                sender.TrySend(
                    [9],
                    payload.AsSpan(0, size / 3),
                    payload.AsSpan(size / 3),
                    0,
                    settled: false,
                    null,
                    out _
                )
            );
            var message = await handler.Deliveries.NextAsync();
            Assert.Equal(payload, message.Payload);
            Assert.Same(Accepted.Instance, await back.SettleAsync(message.Id, Accepted.Instance, Limit.Token));
        }
    }

    [Theory]
    [InlineData(10)]
    [InlineData(5_000)] // Consists of several frames.
    public async Task Message_has_the_headroom_that_its_receiver_requests(int size)
    {
        await using var pair = await Pair.OpenAsync(c => c.MaxFrameSize = 512, s => s.MaxFrameSize = 512);
        var handler = new TestReceiver();
        var (_, sender) = await pair.ReceiverAsync(handler, credit: 1, headroom: 3);
        var payload = Enumerable.Range(1, size).Select(i => (byte)i).ToArray();

        Assert.True(sender.TrySend([9], payload, default, 0, settled: true, null, out _));

        var message = await handler.Deliveries.NextAsync();
        Assert.Equal(payload, message.Payload);
        Assert.Equal(payload, message.Buffer[3..]);
    }

    [Fact]
    public async Task Frame_never_exceeds_the_peers_maximum()
    {
        await using var peer = await RawPeer.ReceivingAsync(credit: 1, maxFrameSize: 600);
        Assert.True(peer.Link.TrySend(new byte[32], new byte[700], new byte[900], 0, false, null, out _));

        var sizes = new List<int>();
        RawFrame frame;
        do
        {
            frame = await peer.NextAsync(Transfer.Code);
            sizes.Add(RawPeer.Encode(0, Transfer.Code, [.. frame.Fields], frame.Payload).Length);
        } while (frame.Fields[5] is true);

        Assert.All(sizes, s => Assert.InRange(s, 1, 600));
        Assert.All(sizes.SkipLast(1), s => Assert.Equal(600, s));
    }

    [Fact]
    public async Task Oversized_message_is_reported_without_its_bytes()
    {
        var server = new TestServer
        {
            OnAttached = (s, session, attach) =>
                session
                    .Accept<ReceiverLink>(
                        attach,
                        new Attach
                        {
                            Source = attach.Source,
                            Target = attach.Target,
                            MaxMessageSize = 3,
                        },
                        s.ReceiverHandler
                    )
                    .SetCredit(10),
        };
        await using var peer = await RawPeer.SendingAsync(server);
        await peer.TransferAsync(0, [1, 2, 3]);
        await peer.TransferAsync(1, [1, 2], more: true);
        await peer.TransferAsync(null, [3, 4], more: true);
        await peer.TransferAsync(null, [5]);
        await peer.TransferAsync(2, [1], more: true);
        await peer.TransferAsync(null, [2]);

        var messages = await server.ReceiverHandler.Deliveries.TakeAsync(3);

        Assert.Equal([false, true, false], messages.Select(m => m.IsOversized));
        Assert.Equal([3, 0, 2], messages.Select(m => m.Payload.Length));
    }
}
