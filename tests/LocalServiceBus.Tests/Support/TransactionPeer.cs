using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>An in-memory client that uses transactions frame by frame, as SDKs do.</summary>
internal sealed class TransactionPeer : IDisposable
{
    private readonly RawPeer _peer;
    private readonly List<RawFrame> _past = [];
    private readonly Dictionary<uint, uint> _brokersHandles = [];
    private uint _lastHandle;
    private uint _lastDelivery;

    private TransactionPeer(RawPeer peer) => _peer = peer;

    /// <summary>The link to the coordinator that was attached last.</summary>
    public uint Coordinator { get; private set; }

    public static async Task<TransactionPeer> DialAsync(AmqpFrontEnd frontEnd)
    {
        var peer = RawPeer.Dial(transport => frontEnd.ServeAsync(transport, CancellationToken.None));
        await peer.OpenAsync();
        await peer.BeginAsync(0);
        return new TransactionPeer(peer);
    }

    public async Task BeginAsync(ushort channel)
    {
        await _peer.WriteAsync(Frames.BeginOn(channel).ToBytes());
        await FindAsync(it => it.Code == Begin.Code);
    }

    /// <returns><c>null</c> if the link was attached.</returns>
    public async Task<AmqpError?> CoordinateAsync(Symbol[]? capabilities = null)
    {
        (Coordinator, var error) = await AttachAsync(0, handle => Frames.CoordinatorOf(handle, capabilities));
        return error;
    }

    public async Task<(uint Handle, AmqpError? Error)> SenderAsync(
        string address,
        ushort channel = 0,
        string? destination = null
    )
    {
        var properties = destination is null ? null : Frames.ForwardedTo(destination);
        return await AttachAsync(channel, handle => Frames.SenderTo(handle, address, properties));
    }

    public async Task<(uint Handle, AmqpError? Error)> ReceiverAsync(
        string address,
        ushort channel = 0,
        uint credit = 10
    )
    {
        var (handle, error) = await AttachAsync(channel, handle => Frames.ReceiverFrom(handle, address));
        if (error is null)
            await _peer.WriteAsync((Frames.Credit(handle, credit) with { Channel = channel }).ToBytes());
        return (handle, error);
    }

    public async Task<byte[]> DeclareAsync()
    {
        var state = await CommandAsync(new Declare());
        Assert.Equal(Declared.Code, state.Descriptor);
        return (byte[])((List<object?>)state.Value!)[0]!;
    }

    public Task<DescribedValue> DischargeAsync(byte[] transaction) => CommandAsync(new Discharge(transaction));

    public Task<DescribedValue> CommandAsync(TransactionCommand command) =>
        SendAsync(Coordinator, transaction: null, new AmqpMessage { Value = command.ToValue() }.ToArray());

    public Task<DescribedValue> SendAsync(uint handle, byte[]? transaction, string text, ushort channel = 0) =>
        SendAsync(handle, transaction, AmqpClient.Encode(text), channel: channel);

    public async Task<DescribedValue> SendAsync(
        uint handle,
        byte[]? transaction,
        byte[] payload,
        uint format = 0,
        ushort channel = 0
    )
    {
        var id = await TransferAsync(handle, transaction, payload, format, settled: false, channel);
        return await AnswerAsync(isReceiver: true, id, channel);
    }

    /// <summary>Sends a settled transfer, to which the broker does not respond.</summary>
    public Task SendSettledAsync(uint handle, byte[]? transaction, byte[] payload) =>
        TransferAsync(handle, transaction, payload, format: 0, settled: true, channel: 0);

    public async Task<(uint Id, Guid Token, string Text)> ReceiveAsync(uint handle)
    {
        var frame = await FindAsync(it => it.Code == Transfer.Code && Equals(it.Fields[0], _brokersHandles[handle]));
        var text = AmqpMessage.Decode(frame.Payload).Data![0].Span;
        return ((uint)frame.Fields[1]!, new Guid((byte[])frame.Fields[2]!), Encoding.UTF8.GetString(text));
    }

    public async Task<DescribedValue> SettleAsync(uint id, byte[] transaction, DescribedValue outcome)
    {
        await SettleAsync(id, transaction, outcome, settled: false);
        return await AnswerAsync(isReceiver: false, id, channel: 0);
    }

    public Task SettleAsync(uint id, byte[] transaction, DescribedValue outcome, bool settled) =>
        _peer.SendAsync(
            0,
            Disposition.Code,
            true,
            id,
            id,
            settled,
            RawPeer.Composite(TransactionalState.Code, transaction, outcome)
        );

    /// <summary>Settles outside of any transaction and commits one, in a single write.</summary>
    public async Task<DescribedValue> SettleAndDischargeAsync(uint id, DescribedValue outcome, byte[] transaction)
    {
        var command = new AmqpMessage { Value = new Discharge(transaction).ToValue() }.ToArray();
        var delivery = _lastDelivery++;
        await _peer.WriteAsync(
            (byte[])
                [
                    .. RawPeer.Encode(0, Disposition.Code, [true, id, id, false, outcome]),
                    .. Encode(0, Coordinator, delivery, transaction: null, command, format: 0, settled: false),
                ]
        );
        return await AnswerAsync(isReceiver: true, delivery, channel: 0);
    }

    /// <summary>Calls <c>$management</c> on a pair of links attached for it.</summary>
    public async Task<AmqpMessage> AskAsync(
        (uint Requests, uint Replies) node,
        byte[]? transaction,
        string operation,
        params (string Name, object? Value)[] arguments
    )
    {
        var request = AmqpClient.Request(operation, arguments, replyTo: "replies");
        await TransferAsync(node.Requests, transaction, request.ToArray(), format: 0, settled: true, channel: 0);
        var reply = await FindAsync(it =>
            it.Code == Transfer.Code && Equals(it.Fields[0], _brokersHandles[node.Replies])
        );
        return AmqpMessage.Decode(reply.Payload);
    }

    public async Task<(uint Requests, uint Replies)> NodeAsync(string address)
    {
        var (replies, _) = await ReceiverAsync(address, credit: 100);
        var (requests, _) = await SenderAsync(address);
        return (requests, replies);
    }

    public async Task DetachAsync(uint handle)
    {
        await _peer.SendAsync(0, Detach.Code, handle, true);
        await FindAsync(it => it.Code == Detach.Code);
    }

    public Task HangUpAsync() => _peer.HangUpAsync();

    /// <summary>Completes when the broker has handled everything sent before.</summary>
    public async Task RoundTripAsync()
    {
        await _peer.WindowAsync(uint.MaxValue, echo: true);
        await FindAsync(it => it.Code == Flow.Code && it.Fields[4] is null);
    }

    public void Dispose() => _peer.Dispose();

    /// <summary>Returns the condition of a rejected state; otherwise, <c>null</c>.</summary>
    public static string? ConditionOf(DescribedValue state) =>
        state.Descriptor switch
        {
            Rejected.Code => (
                (Symbol)((List<object?>)((DescribedValue)((List<object?>)state.Value!)[0]!).Value!)[0]!
            ).Value,
            TransactionalState.Code => ConditionOf((DescribedValue)((List<object?>)state.Value!)[1]!),
            _ => null,
        };

    private async Task<uint> TransferAsync(
        uint handle,
        byte[]? transaction,
        byte[] payload,
        uint format,
        bool settled,
        ushort channel
    )
    {
        var id = _lastDelivery++;
        await _peer.WriteAsync(Encode(channel, handle, id, transaction, payload, format, settled));
        return id;
    }

    private static byte[] Encode(
        ushort channel,
        uint handle,
        uint id,
        byte[]? transaction,
        byte[] payload,
        uint format,
        bool settled
    )
    {
        var state = transaction is null ? null : RawPeer.Composite(TransactionalState.Code, transaction);
        object?[] fields = [handle, id, BitConverter.GetBytes(id), format, settled, false, null, state];
        return RawPeer.Encode(channel, Transfer.Code, fields, payload);
    }

    private async Task<(uint Handle, AmqpError? Error)> AttachAsync(ushort channel, Func<uint, FrameValues> attachOf)
    {
        var handle = ++_lastHandle;
        var attach = attachOf(handle);
        await _peer.WriteAsync((attach with { Channel = channel }).ToBytes());
        var answer = await FindAsync(it => it.Code == Attach.Code && Equals(it.Fields[0], attach.Fields[0]));
        _brokersHandles[handle] = (uint)answer.Fields[1]!;
        // Without a terminus, the broker detaches the link next.
        if (answer.Fields[attach.Fields[2] is true ? 5 : 6] is not null)
            return (handle, null);
        var detach = await FindAsync(it => it.Code == Detach.Code && Equals(it.Fields[0], _brokersHandles[handle]));
        return (handle, detach.Error(2));
    }

    private async Task<DescribedValue> AnswerAsync(bool isReceiver, uint id, ushort channel)
    {
        var frame = await FindAsync(it =>
            it.Code == Disposition.Code
            && it.Channel == channel
            && Equals(it.Fields[0], isReceiver)
            && (uint)it.Fields[1]! <= id
            && id <= (uint)(it.Fields[2] ?? it.Fields[1])!
        );
        var state = (DescribedValue)frame.Fields[4]!;
        // A settlement in a transaction is settled with the commit.
        var isStep = !isReceiver && state.Descriptor is TransactionalState.Code;
        Assert.Equal(!isStep, frame.Fields[3] is true);
        return state;
    }

    /// <summary>Keeps the frames that it skips, because a later call may look for them.</summary>
    private async Task<RawFrame> FindAsync(Predicate<RawFrame> wanted)
    {
        if (_past.FindIndex(wanted) is >= 0 and var position)
        {
            var found = _past[position];
            _past.RemoveAt(position);
            return found;
        }
        while (true)
        {
            var frame = await _peer.NextAsync();
            if (wanted(frame))
                return frame;
            if (frame.Code == Close.Code)
                throw new InvalidOperationException($"closed: {frame.Error(0)}");
            _past.Add(frame);
        }
    }
}
