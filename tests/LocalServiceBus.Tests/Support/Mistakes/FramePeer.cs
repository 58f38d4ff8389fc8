using DroneDelivery.Amqp.Tests.Support;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;

/// <summary>A client in memory that says what it is told to, right or wrong, and hears what a broker answers.</summary>
internal sealed class FramePeer(AmqpFrontEnd frontEnd) : IDisposable
{
    private static readonly byte[] AreYouThere = (Words.Window(int.MaxValue) with { Channel = 1 }).ToBytes();

    // A write completes when the broker has taken all of it, and the broker never waits for a reader.
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

    /// <summary>Messages of this client that the broker has settled.</summary>
    public int Settled { get; private set; }

    /// <summary>A link of the state, a session or the connection has ended.</summary>
    public bool IsLost { get; private set; }

    /// <summary>The broker has spoken of a mistake of its own.</summary>
    public bool IsToldOfDefect { get; private set; }

    public async Task EnterAsync(BrokerState state)
    {
        await SayAsync([.. Words.Greeting.SelectMany(bytes => bytes), .. Words.BeginOn(0).ToBytes()]);
        await state.EnterAsync(this);
        if (!await IsStillInStateAsync())
            throw new InvalidOperationException($"The state '{state.Name}' was not reached.");
        _isInState = true;
    }

    public uint NextId() => _lastId++;

    public Task SayAsync(params SpokenFrame[] frames) => SayAsync([.. frames.SelectMany(frame => frame.ToBytes())]);

    /// <summary>Once it returns the broker has done what whole frames say.</summary>
    public Task SayAsync(byte[] bytes) => _peer.WriteAsync(bytes);

    /// <summary>Says it and hangs up; returns when the broker has done with this client.</summary>
    public async Task SayLastAsync(byte[] bytes)
    {
        await _peer.EndAsync(bytes);
        while (!_isOver)
            await HearAsync();
    }

    public async Task HearAsync(Func<FramePeer, bool> holds)
    {
        while (!holds(this) && !IsLost)
            await HearAsync();
    }

    /// <summary>The answer comes behind all other answers.</summary>
    public async Task<bool> IsStillInStateAsync()
    {
        var before = _echoes;
        await SayAsync(AreYouThere);
        await HearAsync(_ => _echoes > before);
        return !IsLost;
    }

    public void Dispose() => _peer.Dispose();

    private async Task HearAsync()
    {
        try
        {
            Hear(await _peer.AnyAsync());
        }
        catch (EndOfStreamException)
        {
            IsLost = _isOver = true;
        }
    }

    private void Hear(RawFrame frame)
    {
        IsToldOfDefect |= frame.Body.AsSpan().IndexOf("amqp:internal-error"u8) >= 0;
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
            // The broker numbers sessions as they begin, and the one for this question was the first.
            case Flow.Code:
                _echoes += frame.Channel == 0 && fields[4] is null ? 1 : 0;
                break;
            case Transfer.Code:
                HearTransfer(fields);
                break;
            case Disposition.Code:
                HearDisposition(fields);
                break;
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
