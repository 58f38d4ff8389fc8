using DroneDelivery.Amqp.Tests.Support;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

/// <summary>An in-memory client that sends the given frames, valid or not, and reads the broker's responses.</summary>
internal sealed class FramePeer(AmqpFrontEnd frontEnd) : IDisposable
{
    private static readonly byte[] Ping = (Frames.Window(int.MaxValue) with { Channel = 1 }).ToBytes();

    // A write completes when the broker has read all of it, and the broker never waits for a reader.
    private readonly RawPeer _peer = RawPeer.Dial(
        transport => frontEnd.ServeAsync(transport, CancellationToken.None),
        pauseAt: 1,
        pauseBackAt: int.MaxValue
    );

    private readonly HashSet<(ushort Channel, uint Handle)> _links = [];
    private bool _isInState;
    private bool _isOver;
    private int _echoes;
    private uint _lastId;

    public List<(uint Id, Guid Token)> Received { get; } = [];

    public List<byte[]> Transactions { get; } = [];

    /// <summary>The number of this client's messages that the broker has settled.</summary>
    public int Settled { get; private set; }

    /// <summary><c>true</c> if a link of the state, a session, or the connection has ended.</summary>
    public bool IsLost { get; private set; }

    /// <summary><c>true</c> if the broker has reported an internal error.</summary>
    public bool HasInternalError { get; private set; }

    public async Task EnterAsync(BrokerState state)
    {
        await SendAsync([.. Frames.Greeting.SelectMany(bytes => bytes), .. Frames.BeginOn(0).ToBytes()]);
        await state.EnterAsync(this);
        if (!await IsStillInStateAsync())
            throw new InvalidOperationException($"The state '{state.Name}' was not reached.");
        _isInState = true;
    }

    public uint NextId() => _lastId++;

    public Task SendAsync(params FrameValues[] frames) => SendAsync([.. frames.SelectMany(frame => frame.ToBytes())]);

    /// <summary>Completes when the broker has handled all whole frames.</summary>
    public Task SendAsync(byte[] bytes) => _peer.WriteAsync(bytes);

    /// <summary>Sends the bytes and disconnects. Completes when the broker has finished with this client.</summary>
    public async Task SendLastAsync(byte[] bytes)
    {
        await _peer.EndAsync(bytes);
        while (!_isOver)
            await ReadFrameAsync();
    }

    public async Task ReadUntilAsync(Func<FramePeer, bool> holds)
    {
        while (!holds(this) && !IsLost)
            await ReadFrameAsync();
    }

    /// <summary>The response follows all other responses.</summary>
    public async Task<bool> IsStillInStateAsync()
    {
        var before = _echoes;
        await SendAsync(Ping);
        await ReadUntilAsync(_ => _echoes > before);
        return !IsLost;
    }

    public void Dispose() => _peer.Dispose();

    private async Task ReadFrameAsync()
    {
        try
        {
            OnFrame(await _peer.AnyAsync());
        }
        catch (EndOfStreamException)
        {
            IsLost = _isOver = true;
        }
    }

    private void OnFrame(RawFrame frame)
    {
        HasInternalError |= frame.Body.AsSpan().IndexOf("amqp:internal-error"u8) >= 0;
        var fields = frame.Fields;
        switch (frame.Code)
        {
            case Attach.Code when !_isInState:
                _links.Add((frame.Channel, (uint)fields[1]!));
                break;
            case Detach.Code:
                IsLost |= _links.Contains((frame.Channel, (uint)fields[0]!));
                break;
            case End.Code or Close.Code:
                IsLost = true;
                break;
            // The broker numbers sessions in the order in which they begin, and the session of this request was the
            // first.
            case Flow.Code:
                _echoes += frame.Channel == 0 && fields[4] is null ? 1 : 0;
                break;
            case Transfer.Code:
                OnTransfer(fields);
                break;
            case Disposition.Code:
                OnDisposition(fields);
                break;
        }
    }

    private void OnTransfer(List<object?> fields)
    {
        if (fields is [_, uint id, byte[] tag, ..])
            Received.Add((id, tag.Length == 16 ? new Guid(tag) : Guid.Empty));
    }

    private void OnDisposition(List<object?> fields)
    {
        if (fields is not [true, uint first, var last, true, var state, ..])
            return;
        Settled += (int)((last as uint? ?? first) - first) + 1;
        if (state is DescribedValue { Descriptor: Declared.Code, Value: List<object?> declared })
            Transactions.Add((byte[])declared[0]!);
    }
}
