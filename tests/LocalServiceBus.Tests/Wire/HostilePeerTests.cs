using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>One attack for each test, frame by frame. Another client must still be served.</summary>
public sealed class HostilePeerTests : FrontEndTest
{
    private const int MB = 1024 * 1024;

    private readonly ManualTimeProvider _clock;
    private readonly Queue _queue;

    private long UnsentBytes => _frontEnd.Connections.Sum(connection => (long)connection.UnsentBytes);

    public HostilePeerTests()
        : this(new ManualTimeProvider()) { }

    private HostilePeerTests(ManualTimeProvider clock)
        : base(clock)
    {
        _clock = clock;
        _queue = _entities.Create(new QueueOptions("orders"));
        _entities.Create(new QueueOptions("others"));
    }

    [Fact]
    public async Task Unread_peek_responses_stay_within_a_limit()
    {
        const int Peeks = 40;
        Fill(10, 120_000); // Each peek returns a megabyte.
        var peer = await PeerAsync(pauseAt: 4096);
        await AttachNodeAsync(peer, "orders/$management", replyCredit: 1000);
        var asking = AskAsync(peer, Peeks);
        await Eventually.TrueAsync(() => asking.IsCompleted || UnsentBytes > MB);
        await AssertOthersAreServedAsync();

        long most = 0;
        for (var replies = 0; replies < Peeks; )
        {
            var frame = await peer.NextAsync();
            if (frame.Code == Transfer.Code && frame.Fields[5] is not true)
                replies++;
            most = Math.Max(most, UnsentBytes);
        }
        await asking;
        Assert.InRange(most, MB, 2.5 * MB); // A megabyte, and the response that exceeds it.
    }

    [Fact]
    public async Task Replies_that_wait_for_credit_stay_within_a_limit()
    {
        Fill(1, 90_000);
        var measuring = await PeerAsync();
        await AttachNodeAsync(measuring, "orders/$management", replyCredit: 1);
        await measuring.WriteAsync(Request(0, Peek(1)));
        var size = (await measuring.FindAsync(Transfer.Code)).Payload.Length;
        await measuring.HangUpAsync();

        await RestartAsync(new AmqpFrontEndOptions { MaxWaitingReplyBytes = 2 * size });
        var peer = await PeerAsync();
        await AttachNodeAsync(peer, "orders/$management", replyCredit: 0);
        for (var i = 0u; i < 2; i++)
            await peer.WriteAsync(Request(i, Peek(1)));
        await BarrierAsync(peer);
        await peer.FlowAsync(1, handle: 1); // Replies that fill the limit exactly wait for credit.
        Assert.Equal(size, (await peer.FindAsync(Transfer.Code)).Payload.Length);
        for (var i = 2u; i < 4; i++)
            await peer.WriteAsync(Request(i, Peek(1)));
        var detach = await peer.FindAsync(Detach.Code);
        Assert.Equal((1u, ErrorConditions.ResourceLimitExceeded), (detach.Fields[0], detach.Error(2)?.Condition.Value));
        await AssertOthersAreServedAsync();

        await peer.SendAsync(0, Detach.Code, 1u, true);
        // The waiting replies were dropped with the link.
        await SendAsync(peer, Frames.ReceiverFrom(1, "orders/$management"));
        await peer.FlowAsync(credit: 10, handle: 1);
        await peer.WriteAsync(Request(4, Peek(1)));
        await peer.FindAsync(Transfer.Code);
    }

    [Fact]
    public async Task Flows_without_reads_lock_no_further_messages()
    {
        Fill(2000, 1000);
        var peer = await PeerAsync(pauseAt: 4096);
        await SendAsync(peer, Frames.ReceiverFrom(0, "orders"));
        await peer.FlowAsync(credit: 100_000);
        await Eventually.TrueAsync(() => UnsentBytes > 200_000);
        var locked = _queue.Counts().Locked;
        for (var i = 0; i < 1000; i++)
            await peer.FlowAsync(credit: 100_000);
        await AssertOthersAreServedAsync();
        Assert.InRange(_queue.Counts().Locked, locked, locked + 100); // The messages that were already in progress.
    }

    [Fact]
    public async Task Connection_beyond_the_limit_is_rejected()
    {
        await RestartAsync(new AmqpFrontEndOptions { MaxConnections = 2 });
        var first = await PeerAsync();
        Dial(); // Sends no header.
        var third = Dial();
        await third.OpenAsync();
        Assert.Equal(
            ErrorConditions.ResourceLimitExceeded,
            (await third.NextAsync(Close.Code)).Error(0)?.Condition.Value
        );
        await third.HangUpAsync();

        await first.HangUpAsync();
        await AssertOthersAreServedAsync();
    }

    [Fact]
    public async Task Attached_and_detached_links_leave_nothing_behind()
    {
        var peer = await PeerAsync();
        for (var i = 0; i < 1000; i++)
        {
            await SendAsync(peer, Frames.ReceiverFrom(0, i % 2 == 0 ? "orders" : "nobody"));
            await peer.FlowAsync(credit: 10);
            await peer.SendAsync(0, Detach.Code, 0u, true);
        }
        for (var i = 0; i < 1000; i++)
            await peer.FindAsync(Detach.Code);
        await AssertOthersAreServedAsync();
        Assert.Empty(_frontEnd.Links()[_queue]);
        Fill(1, 10);
        Assert.Equal(1, _queue.Counts().Active);
    }

    [Fact]
    public async Task Unsettled_messages_stay_within_a_limit()
    {
        await RestartAsync(new AmqpFrontEndOptions { Connection = new() { MaxUnsettled = 50 } });
        Fill(100, 10);
        var peer = await PeerAsync();
        await SendAsync(peer, Frames.ReceiverFrom(0, "orders"));
        await peer.FlowAsync(credit: 1000);
        for (var i = 0; i < 50; i++)
            await peer.FindAsync(Transfer.Code);
        await BarrierAsync(peer);
        await AssertOthersAreServedAsync();
        Assert.Equal((50, 50), (_queue.Counts().Active, _queue.Counts().Locked));

        await peer.FlowAsync(credit: 950, deliveryCount: 50, drain: true); // Drains without waiting.
        Assert.Equal(0u, (await peer.FindAsync(Flow.Code)).Fields[6]);
        await peer.FlowAsync(credit: 1000, deliveryCount: 1000);
        await peer.SendAsync(0, Disposition.Code, true, 0u, 5u, true, RawPeer.Composite(Accepted.Code));
        for (var i = 0; i < 6; i++)
            await peer.FindAsync(Transfer.Code);
        await BarrierAsync(peer);
        Assert.Equal((6, 44, 50), (_queue.Counts().Completed, _queue.Counts().Active, _queue.Counts().Locked));
    }

    [Fact]
    public async Task Partial_replies_in_closed_windows_stay_within_a_limit()
    {
        await RestartAsync(new AmqpFrontEndOptions { Connection = new() { MaxPartialBytes = 100_000 } });
        Fill(1, 120_000);
        var peer = await PeerAsync(window: 1, maxFrameSize: 512);
        await AttachNodeAsync(peer, "orders/$management", replyCredit: 0);
        await peer.FlowAsync(10, handle: 1, window: 1);
        await peer.WriteAsync(Request(0, Peek(1)));
        await peer.FindAsync(Transfer.Code); // The first of many frames.
        await peer.BeginAsync(1);
        await SendAsync(peer, Frames.ReceiverFrom(0, "orders") with { Channel = 1 });
        var (from, to) = (
            RawPeer.Composite(Source.Code, "orders/$management"),
            RawPeer.Composite(Target.Code, "there")
        );
        await SendAsync(peer, Frames.LinkOf(1, receives: true, from, to) with { Channel = 1 });
        for (var handle = 0u; handle < 2; handle++)
            await SendAsync(peer, Frames.Credit(handle, 10) with { Channel = 1 });
        await peer.WriteAsync(Request(1, Peek(1, "there")));
        await BarrierAsync(peer, window: 0);
        await AssertOthersAreServedAsync();
        Assert.Equal(1, _queue.Counts().Active);

        await peer.SendAsync(0, Detach.Code, 1u, true);
        var handles = new HashSet<object?>();
        while (handles.Count < 2)
        {
            var frame = await peer.FindAsync(Transfer.Code);
            Assert.Equal(1, frame.Channel);
            handles.Add(frame.Fields[0]);
        }
    }

    private async Task<RawPeer> PeerAsync(uint window = uint.MaxValue, uint? maxFrameSize = null, int pauseAt = 1 << 20)
    {
        var peer = Dial(pauseAt);
        await peer.OpenAsync(maxFrameSize);
        await peer.BeginAsync(0, window);
        return peer;
    }

    private static Task SendAsync(RawPeer peer, FrameValues frame) => peer.WriteAsync(frame.ToBytes());

    /// <summary>Sends requests on handle 0 and receives replies on handle 1.</summary>
    private static async Task AttachNodeAsync(RawPeer peer, string node, uint replyCredit)
    {
        await SendAsync(peer, Frames.SenderTo(0, node));
        await SendAsync(peer, Frames.ReceiverFrom(1, node));
        await peer.FlowAsync(replyCredit, handle: 1);
    }

    private static byte[] Request(uint id, AmqpMessage request) =>
        RawPeer.Encode(0, Transfer.Code, [0u, id, BitConverter.GetBytes(id), 0u, true, false], request.ToArray());

    private static async Task AskAsync(RawPeer peer, uint times)
    {
        for (var i = 0u; i < times; i++)
            await peer.WriteAsync(Request(i, Peek(100)));
    }

    private static AmqpMessage Peek(int count, string replyTo = "replies") =>
        AmqpClient.Request("peek-message", [("from-sequence-number", 0L), ("message-count", count)], replyTo);

    /// <summary>Completes when the broker has handled everything that the peer sent before.</summary>
    private static async Task BarrierAsync(RawPeer peer, uint window = uint.MaxValue)
    {
        await peer.WindowAsync(window, echo: true);
        await peer.FindAsync(Flow.Code);
    }

    private void Fill(int count, int size)
    {
        var body = new AmqpMessage { Data = [new byte[size]] }.ToArray();
        for (var i = 0; i < count; i++)
            _queue.Send(IncomingMessage.Read(body, withMessageId: false));
    }

    private async Task AssertOthersAreServedAsync()
    {
        const int Messages = 50;
        var (near, far) = DuplexPipe.Create();
        var serving = Serve(far);
        var options = new AmqpConnectionOptions();
        await using (
            var client = await OnAsync(
                await AmqpDialer.ConnectAsync(near, SaslClient.Anonymous, options, "test", Cancel)
            )
        )
        {
            var sender = await client.SenderAsync("others");
            var receiver = await client.ReceiverAsync("others", Messages);
            var encoded = Encode("a");
            await Task.WhenAll(
                Enumerable.Range(0, Messages).Select(_ => sender.SendAsync(encoded, 0, settled: false, Cancel))
            );
            foreach (var message in await receiver.NextAsync(Messages))
                Assert.Same(Accepted.Instance, await receiver.SettleAsync(message, Accepted.Instance));
        }
        await serving;
    }
}
