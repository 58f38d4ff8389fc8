using System.Buffers;
using System.IO.Pipelines;

namespace DroneDelivery.Amqp.Tests.Support;

/// <summary>A frame as a peer receives it. A heartbeat has no fields.</summary>
internal sealed record RawFrame(ushort Channel, ulong Code, List<object?> Fields, byte[] Payload, byte[] Body)
{
    public AmqpError? Error(int field)
    {
        if (Fields[field] is not DescribedValue { Value: List<object?> error })
            return null;
        return new AmqpError((Symbol)error[0]!, (string?)error[1]);
    }
}

/// <summary>A peer that sends the given frames, valid or not.</summary>
internal sealed class RawPeer(DuplexPipe pipe, Task other) : IDisposable, IAsyncDisposable
{
    private readonly FrameParser _parser = new(1 << 20);

    public void Dispose() => _parser.Dispose();

    /// <summary>Disconnects and waits until the other side ends, which must not throw.</summary>
    public async ValueTask DisposeAsync()
    {
        await HangUpAsync();
        Dispose();
    }

    /// <summary>Completes when the server of this peer ends, with the connection.</summary>
    public Task Other => other;

    public TestServer Server { get; private set; } = null!;

    /// <summary>The server's side of the link on which the peer receives, see <see cref="ReceivingAsync"/>.</summary>
    public SenderLink Link { get; private set; } = null!;

    /// <summary>Connects to a test server, before the first byte.</summary>
    public static RawPeer Dial(
        TestServer? server = null,
        Action<AmqpConnectionOptions>? options = null,
        int pauseAt = 1 << 20
    )
    {
        server ??= new TestServer();
        var serverOptions = new AmqpConnectionOptions { ContainerId = "server" };
        options?.Invoke(serverOptions);
        var peer = Dial(
            far => AmqpConnection.ServeAsync(far, serverOptions, server.Listen, CancellationToken.None),
            pauseAt
        );
        peer.Server = server;
        return peer;
    }

    public static RawPeer Dial(Func<IDuplexPipe, Task> serve, int pauseAt = 1 << 20, int? pauseBackAt = null)
    {
        var (near, far) = DuplexPipe.Create(pauseAt, pauseBackAt);
        return new RawPeer(near, serve(far));
    }

    /// <summary>Connects and exchanges header and open, without SASL.</summary>
    public static async Task<RawPeer> OpenAsync(
        TestServer? server = null,
        Action<AmqpConnectionOptions>? options = null,
        uint? maxFrameSize = null,
        int pauseAt = 1 << 20
    )
    {
        var peer = Dial(server, options, pauseAt);
        await peer.OpenAsync(maxFrameSize);
        return peer;
    }

    public async Task<RawFrame> OpenAsync(uint? maxFrameSize = null, uint? idleTimeout = null)
    {
        await WriteAsync(ProtocolHeader.Amqp);
        Assert.Equal(ProtocolHeader.Amqp, await ReadAsync(ProtocolHeader.Size));
        await SendAsync(0, Open.Code, "raw", null, maxFrameSize, null, idleTimeout);
        return await NextAsync(Open.Code);
    }

    /// <summary>Connects and begins a session on channel 0 with the given windows.</summary>
    public static async Task<RawPeer> BeginAsync(
        TestServer? server = null,
        uint incomingWindow = uint.MaxValue,
        Action<AmqpConnectionOptions>? options = null,
        uint? maxFrameSize = null,
        int pauseAt = 1 << 20
    )
    {
        var peer = await OpenAsync(server, options, maxFrameSize, pauseAt);
        await peer.BeginAsync(0, incomingWindow);
        return peer;
    }

    public static async Task<RawPeer> SendingAsync(TestServer? server = null)
    {
        var peer = await BeginAsync(server);
        await peer.AttachAsync(LinkRole.Sender);
        return peer;
    }

    /// <summary>Connects with a link on which the peer receives. The server's side has the credit.</summary>
    public static async Task<RawPeer> ReceivingAsync(
        uint credit,
        uint window = uint.MaxValue,
        uint? maxFrameSize = null,
        Action<AmqpConnectionOptions>? options = null,
        int pauseAt = 1 << 20
    )
    {
        var peer = await BeginAsync(null, window, options, maxFrameSize, pauseAt);
        await peer.AttachAsync(LinkRole.Receiver);
        await peer.NextAsync(Attach.Code);
        await peer.FlowAsync(credit, window: window);
        await peer.Server.SenderHandler.Flows.NextAsync();
        peer.Link = (SenderLink)await peer.Server.Links.NextAsync();
        return peer;
    }

    public async Task BeginAsync(ushort channel, uint incomingWindow = uint.MaxValue)
    {
        await SendAsync(channel, Begin.Code, null, 0u, incomingWindow, 100u);
        await NextAsync(Begin.Code);
    }

    /// <summary>Sends a flow of the session on channel 0, without a link.</summary>
    public Task WindowAsync(uint window, uint nextIncomingId = 0, bool echo = false) =>
        SendAsync(0, Flow.Code, nextIncomingId, window, 0u, 100u, null, null, null, null, false, echo);

    /// <summary>Serves a client that has begun a session with the window, in which transfers count from 7.</summary>
    public static async Task<(RawPeer Peer, AmqpConnection Client, AmqpSession Session)> ServeAsync(uint window)
    {
        var (near, far) = DuplexPipe.Create(1 << 20);
        var options = new AmqpConnectionOptions { ContainerId = "client" };
        var connecting = AmqpDialer.ConnectAsync(near, sasl: null, options, "test", Limit.Token);
        var peer = new RawPeer(far, connecting);
        Assert.Equal(ProtocolHeader.Amqp, await peer.ReadAsync(ProtocolHeader.Size));
        await peer.WriteAsync(ProtocolHeader.Amqp);
        await peer.NextAsync(Open.Code);
        await peer.SendAsync(0, Open.Code, "raw");
        var client = await connecting;
        var beginning = client.BeginSessionAsync(new SessionOptions { IncomingWindow = window }, Limit.Token);
        Assert.Equal(window, (await peer.NextAsync(Begin.Code)).Fields[2]);
        await peer.SendAsync(0, Begin.Code, (ushort)0, 7u, 100u, 100u);
        return (peer, client, await beginning);
    }

    public async Task WriteAsync(ReadOnlyMemory<byte> bytes) => await pipe.Output.WriteAsync(bytes, Limit.Token);

    public Task SendAsync(ushort channel, ulong code, params object?[] fields) =>
        WriteAsync(Encode(channel, code, fields));

    public Task TransferAsync(
        uint? id,
        byte[] payload,
        bool more = false,
        bool settled = false,
        bool aborted = false,
        uint handle = 0
    )
    {
        object?[] fields =
        [
            handle,
            id,
            id is null ? null : new byte[] { 1 },
            0u,
            settled,
            more,
            null,
            null,
            false,
            aborted,
        ];
        return WriteAsync(Encode(0, Transfer.Code, fields, payload));
    }

    public static byte[] Encode(ushort channel, ulong code, object?[] fields, byte[]? payload = null) =>
        Bytes.Encode(writer =>
        {
            var start = Frame.Begin(writer, Frame.AmqpType, channel);
            writer.WriteValue(new DescribedValue(code, fields.ToList()));
            writer.WriteRaw(payload);
            Frame.End(writer, start);
        });

    public static DescribedValue Composite(ulong code, params object?[] fields) => new(code, fields.ToList());

    public Task AttachAsync(LinkRole role, uint handle = 0, string name = "l") =>
        WriteAsync(EncodeAttach(role, handle, name));

    public static byte[] EncodeAttach(LinkRole role, uint handle, string name) =>
        Encode(
            0,
            Attach.Code,
            [
                name,
                handle,
                role == LinkRole.Receiver,
                null,
                null,
                Composite(Source.Code, "q"),
                Composite(Target.Code, "q"),
                null,
                null,
                role == LinkRole.Sender ? 0u : null,
            ]
        );

    public Task FlowAsync(
        uint credit,
        uint deliveryCount = 0,
        uint handle = 0,
        bool drain = false,
        bool echo = false,
        uint nextIncomingId = 0,
        uint window = uint.MaxValue
    ) => SendAsync(0, Flow.Code, nextIncomingId, window, 0u, 100u, handle, deliveryCount, credit, null, drain, echo);

    public async Task<RawFrame> NextAsync()
    {
        while (true)
        {
            var frame = await AnyAsync();
            if (frame.Code != 0)
                return frame;
        }
    }

    public async Task<RawFrame> NextAsync(ulong code)
    {
        var frame = await NextAsync();
        return frame.Code == code
            ? frame
            : throw new InvalidOperationException($"Received 0x{frame.Code:x}: {string.Join(", ", frame.Fields)}");
    }

    public async Task<RawFrame> FindAsync(ulong code)
    {
        while (true)
        {
            var frame = await NextAsync();
            if (frame.Code == code)
                return frame;
            if (frame.Code == Close.Code)
                throw new InvalidOperationException($"closed: {frame.Error(0)}");
        }
    }

    public async Task<RawFrame> AnyAsync()
    {
        while (true)
        {
            var result = await pipe.Input.ReadAsync(Limit.Token);
            var buffer = result.Buffer;
            var frame = Parse(ref buffer);
            pipe.Input.AdvanceTo(buffer.Start, frame is null ? buffer.End : buffer.Start);
            if (frame is not null)
                return frame;
            if (result.IsCompleted)
                throw new EndOfStreamException();
        }
    }

    public async Task<byte[]> ReadAsync(int count)
    {
        var result = await pipe.Input.ReadAtLeastAsync(count, Limit.Token);
        var bytes = result.Buffer.Slice(0, Math.Min(count, result.Buffer.Length)).ToArray();
        pipe.Input.AdvanceTo(result.Buffer.GetPosition(bytes.Length));
        return bytes;
    }

    /// <summary>Expects a close with the condition, and disconnects.</summary>
    public async Task ExpectCloseAsync(string? condition)
    {
        var close = await FindAsync(Close.Code);
        Assert.Equal(condition, close.Error(0)?.Condition.Value);
        await HangUpAsync();
    }

    public async Task HangUpAsync()
    {
        await EndAsync();
        await pipe.Input.CompleteAsync();
    }

    /// <summary>
    /// Sends the last bytes, which need not be a whole frame, and waits for the other side to end. Its output can still
    /// be read.
    /// </summary>
    public async Task EndAsync(byte[]? last = null)
    {
        pipe.Output.Write(last);
        await pipe.Output.CompleteAsync();
        await other.WaitAsync(Limit.Token);
    }

    private RawFrame? Parse(ref ReadOnlySequence<byte> buffer)
    {
        if (buffer.Length >= ProtocolHeader.Size && buffer.Slice(0, 4).ToArray().AsSpan().SequenceEqual("AMQP"u8))
            buffer = buffer.Slice(ProtocolHeader.Size);
        if (!_parser.TryRead(ref buffer, out var frame))
            return null;
        if (frame.Body.IsEmpty)
            return new RawFrame(frame.Channel, 0, [], [], []);
        var reader = new AmqpReader(frame.Body);
        var value = (DescribedValue)reader.ReadValue()!;
        var payload = frame.Body[reader.Position..].ToArray();
        return new RawFrame(
            frame.Channel,
            (ulong)value.Descriptor,
            (List<object?>)value.Value!,
            payload,
            frame.Body.ToArray()
        );
    }
}
