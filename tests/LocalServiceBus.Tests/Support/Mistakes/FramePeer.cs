using System.Buffers;
using System.IO.Pipelines;
using DroneDelivery.Amqp.Tests.Support;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;

/// <summary>A client in memory that says what it is told to, right or wrong, and hears what a broker answers.</summary>
internal sealed class FramePeer : IAsyncDisposable
{
    private static readonly byte[] AreYouThere = (Words.Window(int.MaxValue) with { Channel = 0 }).ToBytes();

    // A write completes when the broker has taken all of it, and the broker never waits for a reader.
    private readonly Pipe _there = new(new PipeOptions(
        pauseWriterThreshold: 1, resumeWriterThreshold: 1, useSynchronizationContext: false));
    private readonly Pipe _back = new(new PipeOptions(pauseWriterThreshold: 0, useSynchronizationContext: false));
    private readonly FrameParser _parser = new(1 << 20);
    private readonly Task _serving;
    private readonly CancellationToken _cancellation;
    private readonly HashSet<(ushort Channel, uint Handle)> _links = [];
    private bool _isInState;
    private int _echoes;
    private uint _lastId;

    private FramePeer(AmqpFrontEnd frontEnd, CancellationToken cancellationToken)
    {
        _cancellation = cancellationToken;
        _serving = frontEnd.ServeAsync(new DuplexPipe(_there.Reader, _back.Writer), CancellationToken.None);
    }

    /// <summary>Messages that came.</summary>
    public List<(uint Id, Guid Token)> Received { get; } = [];

    /// <summary>Transactions that were declared.</summary>
    public List<byte[]> Transactions { get; } = [];

    /// <summary>Messages of this client that the broker has settled.</summary>
    public int Settled { get; private set; }

    /// <summary>A link of the state, a session or the connection has ended.</summary>
    public bool IsLost { get; private set; }

    /// <summary>The broker has spoken of a mistake of its own.</summary>
    public bool IsToldOfDefect { get; private set; }

    public static FramePeer Dial(AmqpFrontEnd frontEnd, CancellationToken cancellationToken) => new(frontEnd, cancellationToken);

    /// <summary>Goes to the state.</summary>
    public async Task EnterAsync(BrokerState state)
    {
        await SayAsync([.. Words.Greeting.SelectMany(bytes => bytes), .. Words.BeginOn(1).ToBytes()]);
        await state.EnterAsync(this);
        if (!await IsStillInStateAsync())
            throw new InvalidOperationException($"The state '{state.Name}' was not reached.");
        _isInState = true;
    }

    public uint NextId() => _lastId++;

    public Task SayAsync(params SpokenFrame[] frames) => SayAsync([.. frames.SelectMany(frame => frame.ToBytes())]);

    /// <summary>Once it returns the broker has done what whole frames say.</summary>
    public async Task SayAsync(byte[] bytes)
    {
        var said = await _there.Writer.WriteAsync(bytes, _cancellation);
        IsLost |= said.IsCompleted;
    }

    /// <summary>Says it and hangs up.</summary>
    public async Task SayLastAsync(byte[] bytes)
    {
        _there.Writer.Write(bytes);
        await HangUpAsync();
    }

    /// <summary>Listens until it is so.</summary>
    public async Task HearAsync(Func<FramePeer, bool> holds)
    {
        while (!holds(this) && !IsLost)
        {
            var heard = await _back.Reader.ReadAsync(_cancellation);
            Hear(heard.Buffer);
            IsLost |= heard.IsCompleted;
        }
    }

    /// <summary>The answer comes behind all other answers.</summary>
    public async Task<bool> IsStillInStateAsync()
    {
        var before = _echoes;
        await SayAsync(AreYouThere);
        await HearAsync(_ => _echoes > before);
        return !IsLost;
    }

    /// <summary>Returns when the broker has done with this client.</summary>
    public async Task HangUpAsync()
    {
        await _there.Writer.CompleteAsync();
        await _serving.WaitAsync(_cancellation);
        while (true)
        {
            var heard = await _back.Reader.ReadAsync(_cancellation);
            Hear(heard.Buffer);
            if (heard.IsCompleted)
                return;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _there.Writer.CompleteAsync();
        await _back.Reader.CompleteAsync();
        _parser.Dispose();
    }

    private void Hear(ReadOnlySequence<byte> heard)
    {
        var left = heard;
        while (left.Length >= ProtocolHeader.Size)
        {
            if (left.Slice(0, 4).ToArray().AsSpan().SequenceEqual("AMQP"u8))
                left = left.Slice(ProtocolHeader.Size);
            else if (_parser.TryRead(ref left, out var frame))
                Hear(frame);
            else
                break;
        }
        _back.Reader.AdvanceTo(left.Start, left.End);
    }

    private void Hear(Frame frame)
    {
        if (frame.Body.IsEmpty || frame.Type != Frame.AmqpType)
            return;
        IsToldOfDefect |= frame.Body.IndexOf("amqp:internal-error"u8) >= 0;
        var performative = (DescribedValue)new AmqpReader(frame.Body).ReadValue()!;
        var fields = (List<object?>)performative.Value!;
        switch ((ulong)performative.Descriptor)
        {
            case Attach.Code when !_isInState: _links.Add((frame.Channel, (uint)fields[1]!)); break;
            case Detach.Code: IsLost |= _links.Contains((frame.Channel, (uint)fields[0]!)); break;
            case End.Code or Close.Code: IsLost = true; break;
            case Flow.Code: _echoes += frame.Channel == 0 && fields[4] is null ? 1 : 0; break;
            case Transfer.Code: HearTransfer(fields); break;
            case Disposition.Code: HearDisposition(fields); break;
        }
    }

    private void HearTransfer(List<object?> fields)
    {
        if (fields is [_, uint id, byte[] tag, ..])
            Received.Add((id, tag.Length == 16 ? new Guid(tag) : Guid.Empty));
    }

    private void HearDisposition(List<object?> fields)
    {
        if (fields is not [true, uint first, var last, true, var state, ..])
            return;
        Settled += (int)((last as uint? ?? first) - first) + 1;
        if (state is DescribedValue { Descriptor: Declared.Code, Value: List<object?> declared })
            Transactions.Add((byte[])declared[0]!);
    }
}
