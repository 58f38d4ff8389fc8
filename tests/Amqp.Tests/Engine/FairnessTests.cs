using System.Buffers;
using System.IO.Pipelines;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class FairnessTests
{
    [Theory]
    [InlineData(1, 100)]
    [InlineData(4096, 12)]
    public async Task Busy_peer_yields_its_thread_to_others(int framesInRead, int mostReads)
    {
        var peer = new HastyPeer(framesInRead);
        await AmqpConnection.ServeAsync(peer, new AmqpConnectionOptions(), new TestServer().Listen, Limit.Token);
        Assert.InRange(peer.MostReadsAtOnce, 1, mostReads);
    }

    /// <summary>
    /// A client that sends header and open, and then empty frames until the end. Its next bytes are always available.
    /// </summary>
    private sealed class HastyPeer : PipeReader, IDuplexPipe
    {
        private const int Reads = 250;

        private readonly byte[] _frames;
        private readonly AsyncLocal<object> _flow;
        private int _reads;
        private int _readsAtOnce;

        public HastyPeer(int framesInRead)
        {
            _frames = [.. Enumerable.Repeat(Frame.Heartbeat.ToArray(), framesInRead).SelectMany(frame => frame)];
            // The value changes when a thread resumes or leaves this flow, so whenever the reader yields its thread.
            _flow = new AsyncLocal<object>(change => _readsAtOnce = change.ThreadContextChanged ? 0 : _readsAtOnce)
            {
                Value = this,
            };
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
                _ => _frames,
            };
            return new(
                new ReadResult(new ReadOnlySequence<byte>(bytes), isCanceled: false, isCompleted: _reads == Reads)
            );
        }

        public override bool TryRead(out ReadResult result) => throw new NotSupportedException();

        public override void AdvanceTo(SequencePosition consumed) { }

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) { }

        public override void CancelPendingRead() { }

        public override void Complete(Exception? exception = null) { }
    }
}
