namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class ConversationTests
{
    [Fact]
    public async Task A_message_arrives_whole_and_its_outcome_comes_back()
    {
        await using var pair = await Pair.OpenAsync();
        var link = await pair.SenderAsync(address: "q");
        var payload = new AmqpMessage { Value = "hello" }.ToArray();

        var outcome = await link.SendAsync(payload, 7, settled: false, Limit.Token);

        var message = await pair.Server.ReceiverHandler.Deliveries.NextAsync();
        Assert.Same(Accepted.Instance, outcome);
        Assert.Equal(payload, message.Payload);
        Assert.Equal(7u, message.Format);
        Assert.Equal("q", message.Link.Remote.Target?.Address);
    }

    [Fact]
    public async Task A_peek_locked_message_is_settled_by_the_sender_in_answer_to_the_receiver()
    {
        await using var pair = await Pair.OpenAsync();
        pair.Server.SenderHandler.WhenDisposition = (link, id, state) => link.Settle(id, state!);
        var receiver = new TestReceiver { Settle = null };
        var (link, sender) = await pair.ReceiverAsync(receiver, credit: 5);
        Assert.True(sender.TrySend([1, 2, 3], [0xaa], [0xbb, 0xcc], 0, settled: false, "context", out var id));

        var message = await receiver.Deliveries.NextAsync();
        var answer = await link.SettleAsync(message.Id, Accepted.Instance, Limit.Token);

        Assert.Same(Accepted.Instance, answer);
        Assert.Equal([1, 2, 3], message.Tag);
        Assert.Equal([0xaa, 0xbb, 0xcc], message.Payload);
        Assert.Equal((id, "context", Accepted.Instance, false), await pair.Server.SenderHandler.Dispositions.NextAsync());
        Assert.Equal(4u, link.Credit);
        Assert.Equal(4u, sender.Credit);
    }

    [Fact]
    public async Task A_frame_whose_head_is_longer_than_known_is_read()
    {
        await using var peer = await RawPeer.OpenAsync(new TestServer());
        var frame = RawPeer.Encode(0, Begin.Code, [null, 0u, 100u, 100u]);
        await peer.WriteAsync((byte[])[0, 0, 0, (byte)(frame.Length + 4), 3, .. frame[5..8], 0xff, 0xff, 0xff, 0xff, .. frame[8..]]);
        await peer.NextAsync(Begin.Code);
    }

    [Fact]
    public async Task Closing_tells_the_other_side_once_for_link_session_and_connection()
    {
        var pair = await Pair.OpenAsync();
        var receiver = new TestReceiver();
        await pair.ReceiverAsync(receiver, credit: 1);

        await pair.DisposeAsync();

        Assert.Equal(ErrorConditions.ConnectionForced, (await pair.Server.SenderHandler.Detached.NextAsync())?.Condition.Value);
        Assert.Equal(["session ended", "closed"], await pair.Server.Log.TakeAsync(2));
        Assert.NotNull(await receiver.Detached.NextAsync());
        Assert.Null(await pair.Client.Closed);
    }
}
