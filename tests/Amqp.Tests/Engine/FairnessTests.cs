using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class FairnessTests
{
    [Theory]
    [InlineData(1, 100)]
    [InlineData(4096, 12)]
    public async Task A_peer_that_always_has_more_to_say_leaves_its_thread_to_others(int framesInRead, int mostReads)
    {
        var peer = new HastyPeer(framesInRead);
        await AmqpConnection.ServeAsync(peer, new AmqpConnectionOptions(), new TestServer().Listen, Limit.Token);
        Assert.InRange(peer.MostReadsAtOnce, 1, mostReads);
    }

    [Theory]
    [InlineData(1, 100)]
    [InlineData(4096, 12)]
    public async Task A_peer_that_never_pauses_leaves_the_thread_that_waits_for_it_to_others(int framesInRead, int mostReads)
    {
        using var peer = new AwaitedPeer(framesInRead);
        var serving = AmqpConnection.ServeAsync(peer, new AmqpConnectionOptions(), new TestServer().Listen, Limit.Token);
        await peer.SpeakAsync();
        await serving;
        Assert.InRange(peer.MostReadsAtOnce, 1, mostReads);
    }

    /// <summary>Its next bytes are always there already.</summary>
    private sealed class HastyPeer : Chatterer
    {
        private readonly AsyncLocal<object> _flow;
        private int _readsAtOnce;

        public HastyPeer(int framesInRead) : base(framesInRead)
        {
            // Told when a thread takes this flow up or leaves it, so whenever the reader gives its thread back.
            _flow = new AsyncLocal<object>(change => _readsAtOnce = change.ThreadContextChanged ? 0 : _readsAtOnce) { Value = this };
        }

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            Assert.Same(this, _flow.Value);
            MostReadsAtOnce = Math.Max(MostReadsAtOnce, ++_readsAtOnce);
            return new(Next());
        }
    }

    /// <summary>Its next bytes are never there yet. The reader goes on where they arrive, as on a thread that waits for sockets.</summary>
    private sealed class AwaitedPeer(int framesInRead) : Chatterer(framesInRead), IValueTaskSource<ReadResult>, IDisposable
    {
        [ThreadStatic]
        private static bool _isArrival;

        private readonly SemaphoreSlim _asked = new(0);
        private ManualResetValueTaskSourceCore<ReadResult> _arrival;
        private int _readsAtOnce;

        /// <summary>Brings whatever the reader asks for.</summary>
        public async Task SpeakAsync()
        {
            for (var read = 0; read < Reads; read++)
            {
                await _asked.WaitAsync(Limit.Token);
                Arrive();
            }
        }

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            _readsAtOnce = _isArrival ? _readsAtOnce + 1 : 0;
            MostReadsAtOnce = Math.Max(MostReadsAtOnce, _readsAtOnce);
            _arrival.Reset();
            var read = new ValueTask<ReadResult>(this, _arrival.Version);
            _asked.Release();
            return read;
        }

        public void Dispose() => _asked.Dispose();

        private void Arrive()
        {
            _isArrival = true;
            _arrival.SetResult(Next());
            _isArrival = false;
        }

        ReadResult IValueTaskSource<ReadResult>.GetResult(short token) => _arrival.GetResult(token);

        ValueTaskSourceStatus IValueTaskSource<ReadResult>.GetStatus(short token) => _arrival.GetStatus(token);

        void IValueTaskSource<ReadResult>.OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _arrival.OnCompleted(continuation, state, token, flags);
    }

    /// <summary>A client that says header and open, then empty frames to the end.</summary>
    private abstract class Chatterer(int framesInRead) : PipeReader, IDuplexPipe
    {
        protected const int Reads = 250;

        private readonly byte[] _frames = [.. Enumerable.Repeat(Frame.Heartbeat.ToArray(), framesInRead).SelectMany(frame => frame)];

        private int _reads;

        public int MostReadsAtOnce { get; protected set; }

        public PipeReader Input => this;

        public PipeWriter Output { get; } = new Pipe().Writer;

        protected ReadResult Next()
        {
            var bytes = _reads++ switch
            {
                0 => ProtocolHeader.Amqp,
                1 => RawPeer.Encode(0, Open.Code, ["chatterer"]),
                _ => _frames,
            };
            return new ReadResult(new ReadOnlySequence<byte>(bytes), isCanceled: false, isCompleted: _reads == Reads);
        }

        public override bool TryRead(out ReadResult result) => throw new NotSupportedException();

        public override void AdvanceTo(SequencePosition consumed) { }

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) { }

        public override void CancelPendingRead() { }

        public override void Complete(Exception? exception = null) { }
    }
}
