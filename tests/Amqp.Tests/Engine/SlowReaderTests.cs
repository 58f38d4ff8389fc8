using System.IO.Pipelines;
using DroneDelivery.Testing;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class SlowReaderTests
{
    private const int Backlog = 4096;
    private const int Narrow = 512;

    // Four times the backlog, and the output of one frame beyond it.
    private const int MostUnsent = 4 * Backlog + 64;

    private readonly TestServer _server = new();

    [Fact]
    public async Task Responses_to_one_large_read_are_sent_piece_by_piece()
    {
        await using var peer = await RawPeer.BeginAsync(
            _server,
            options: o => o.WriteBacklog = Backlog,
            pauseAt: 1 << 20
        );
        var connection = await _server.Connection;
        var question = RawPeer.Encode(0, Flow.Code, [0u, 100u, 0u, 100u, null, null, null, null, false, true]);
        await peer.WriteAsync(Enumerable.Repeat(question, 20_000).SelectMany(bytes => bytes).ToArray());
        var most = 0;
        for (var i = 0; i < 20_000; i++)
        {
            await peer.NextAsync(Flow.Code);
            most = Math.Max(most, connection.UnsentBytes);
        }
        Assert.InRange(most, 0, MostUnsent);
    }

    [Fact]
    public async Task Slow_reader_is_kept_and_a_stopped_one_dropped()
    {
        var clock = new ManualTimeProvider();
        using var peer = await RawPeer.BeginAsync(
            _server,
            options: o => (o.WriteBacklog, o.TimeProvider) = (Backlog, clock),
            pauseAt: Narrow
        );
        var connection = await _server.Connection;
        var asking = AskAsync(peer, 100_000);
        await FullAsync(connection);

        for (var i = 0; i < 5; i++)
        {
            var written = connection.Outbox.Written;
            while (connection.Outbox.Written == written)
                await peer.NextAsync(Flow.Code);
            await FullAsync(connection);
            clock.Advance(TimeSpan.FromSeconds(119));
        }
        Assert.True(_server.Log.IsEmpty);

        await Eventually.TrueAsync(() =>
        {
            clock.Advance(TimeSpan.FromSeconds(30));
            return peer.Other.IsCompleted;
        });
        await peer.Other;
        await asking; // The transport is closed.
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, (await connection.Closed)?.Condition.Value);
    }

    [Fact]
    public async Task Peer_may_be_silent_after_it_has_read_everything()
    {
        var clock = new ManualTimeProvider();
        _server.SenderHandler.WhenFlow = link =>
            link.TrySend([1], new byte[8 * Backlog], default, 0, settled: true, null, out _);
        CountedReads? reader = null;
        await using var peer = RawPeer.Dial(
            far =>
                AmqpConnection.ServeAsync(
                    new DuplexPipe(reader = new CountedReads(far.Input), far.Output),
                    new AmqpConnectionOptions { WriteBacklog = Backlog, TimeProvider = clock },
                    _server.Listen,
                    CancellationToken.None
                ),
            Narrow
        );
        await peer.OpenAsync();
        await peer.BeginAsync(0);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.NextAsync(Attach.Code);
        await peer.FlowAsync(credit: 1);
        await FullAsync(await _server.Connection);
        var reads = reader!.Count;

        clock.Advance(TimeSpan.FromSeconds(119));
        await peer.NextAsync(Transfer.Code);
        await Eventually.TrueAsync(() => reader.Count > reads);
        clock.Advance(TimeSpan.FromSeconds(119));

        await peer.BeginAsync(1);
    }

    [Fact]
    public async Task Connection_with_unread_output_ends_with_its_transport()
    {
        using var peer = await RawPeer.BeginAsync(_server, options: o => o.WriteBacklog = Backlog, pauseAt: Narrow);
        var connection = await _server.Connection;
        var asking = AskAsync(peer, 5000);
        await FullAsync(connection);

        connection.Abort();

        await peer.Other.WaitAsync(Limit.Token);
        await asking; // The transport is closed.
    }

    [Fact]
    public async Task Two_peers_with_full_buffers_do_not_deadlock()
    {
        const int Messages = 400;
        var payload = new byte[1000];
        await using var pair = await Pair.OpenAsync(
            client => client.WriteBacklog = Backlog,
            server => server.WriteBacklog = Backlog,
            new TestServer { Credit = Messages }
        );
        var handler = new TestReceiver();
        var (_, sender) = await pair.ReceiverAsync(handler, Messages);
        var link = await pair.SenderAsync();

        for (var i = 0; i < Messages; i++)
            Assert.True(sender.TrySend([1], payload, default, 0, settled: false, null, out _));
        var outcomes = await Task.WhenAll(
            Enumerable.Range(0, Messages).Select(_ => link.SendAsync(payload, 0, settled: false, Limit.Token))
        );

        Assert.All(outcomes, outcome => Assert.Same(Accepted.Instance, outcome));
        await handler.Deliveries.TakeAsync(Messages);
    }

    [Fact]
    public async Task Close_is_sent_despite_a_backlog()
    {
        using var peer = await RawPeer.BeginAsync(_server, options: o => o.WriteBacklog = Backlog, pauseAt: Narrow);
        var connection = await _server.Connection;
        var asking = AskAsync(peer, 5000);
        await FullAsync(connection);
        var closing = connection.CloseAsync(new AmqpError("com.example:enough"), Limit.Token);

        RawFrame frame;
        do
        {
            frame = await peer.NextAsync();
        } while (frame.Code == Flow.Code);

        Assert.Equal("com.example:enough", frame.Error(0)?.Condition.Value);
        await asking;
        await peer.HangUpAsync();
        await closing;
    }

    private static Task FullAsync(AmqpConnection connection) => Eventually.TrueAsync(() => connection.Outbox.IsFull);

    private static async Task AskAsync(RawPeer peer, int times)
    {
        for (var i = 0; i < times; i++)
            await peer.WindowAsync(100, echo: true);
    }

    private sealed class CountedReads(PipeReader inner) : PipeReader
    {
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref _count);
            return inner.ReadAsync(cancellationToken);
        }

        public override bool TryRead(out ReadResult result) => inner.TryRead(out result);

        public override void AdvanceTo(SequencePosition consumed) => inner.AdvanceTo(consumed);

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) =>
            inner.AdvanceTo(consumed, examined);

        public override void CancelPendingRead() => inner.CancelPendingRead();

        public override void Complete(Exception? exception = null) => inner.Complete(exception);
    }
}
