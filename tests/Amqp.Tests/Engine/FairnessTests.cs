using System.Buffers;
using System.IO.Pipelines;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class FairnessTests
{
    [Fact]
    public async Task A_peer_that_always_has_more_to_say_leaves_its_thread_to_others()
    {
        var peer = new Chatterer(frames: 1000);
        await AmqpConnection.ServeAsync(peer, new AmqpConnectionOptions(), new TestServer().Listen, Limit.Token);
        Assert.InRange(peer.MostReadsAtOnce, 1, 100);
    }

    /// <summary>A client whose next bytes are always there already: header and open, then empty frames to the end.</summary>
    private sealed class Chatterer : PipeReader, IDuplexPipe
    {
        private readonly AsyncLocal<object> _flow;
        private readonly int _frames;
        private int _reads;
        private int _readsAtOnce;

        public Chatterer(int frames)
        {
            _frames = frames;
            // Told when a thread takes this flow up or leaves it, so whenever the reader gives its thread back.
            _flow = new AsyncLocal<object>(change => _readsAtOnce = change.ThreadContextChanged ? 0 : _readsAtOnce) { Value = this };
        }

        public int MostReadsAtOnce { get; private set; }

        public PipeReader Input => this;

        public PipeWriter Output { get; } = new Pipe().Writer;

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            Assert.Same(this, _flow.Value);
            MostReadsAtOnce = Math.Max(MostReadsAtOnce, ++_readsAtOnce);
            var bytes = _reads++ switch
            {
                0 => ProtocolHeader.Amqp,
                1 => RawPeer.Encode(0, Open.Code, ["chatterer"]),
                _ => Frame.Heartbeat.ToArray(),
            };
            return new(new ReadResult(new ReadOnlySequence<byte>(bytes), isCanceled: false, isCompleted: _reads > _frames));
        }

        public override bool TryRead(out ReadResult result) => throw new NotSupportedException();

        public override void AdvanceTo(SequencePosition consumed) { }

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) { }

        public override void CancelPendingRead() { }

        public override void Complete(Exception? exception = null) { }
    }
}
