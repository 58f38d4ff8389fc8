using System.IO.Pipelines;
using System.Threading.Channels;

namespace DroneDelivery.Amqp.Tests.Support;

/// <summary>A client connection and a server connection, connected by two in-memory pipes.</summary>
internal sealed class Pair : IAsyncDisposable
{
    public required AmqpConnection Client { get; init; }
    public required TestServer Server { get; init; }
    public required Task Serving { get; init; }

    public static async Task<Pair> OpenAsync(
        Action<AmqpConnectionOptions>? client = null,
        Action<AmqpConnectionOptions>? server = null,
        TestServer? listener = null,
        SaslClient? sasl = null
    )
    {
        var (near, far) = DuplexPipe.Create();
        var serverOptions = new AmqpConnectionOptions { ContainerId = "server" };
        server?.Invoke(serverOptions);
        var clientOptions = new AmqpConnectionOptions { ContainerId = "client" };
        client?.Invoke(clientOptions);
        listener ??= new TestServer();
        var serving = AmqpConnection.ServeAsync(far, serverOptions, listener.Listen, CancellationToken.None);
        var connection = await AmqpDialer.ConnectAsync(
            near,
            sasl ?? SaslClient.Anonymous,
            clientOptions,
            "test",
            Limit.Token
        );
        return new Pair
        {
            Client = connection,
            Server = listener,
            Serving = serving,
        };
    }

    /// <summary>Attaches a link on which the client sends, in its own session.</summary>
    public async Task<SenderLink> SenderAsync(TestSender? handler = null, string? address = null)
    {
        var session = await Client.BeginSessionAsync(null, Limit.Token);
        var attach = new Attach
        {
            Name = "s",
            Target = new Target { Address = address },
        };
        return await session.AttachSenderAsync(attach, handler ?? new TestSender(), Limit.Token);
    }

    /// <summary>
    /// Attaches a link on which the client receives, in its own session. Returns it with the server's side, which has
    /// the credit.
    /// </summary>
    public async Task<(ReceiverLink Link, SenderLink Sender)> ReceiverAsync(
        ILinkHandler handler,
        uint credit,
        int headroom = 0
    )
    {
        var session = await Client.BeginSessionAsync(null, Limit.Token);
        var attach = new Attach
        {
            Name = "r",
            Source = new Source { Address = "q" },
        };
        var link = await session.AttachReceiverAsync(attach, handler, Limit.Token);
        var sender = (SenderLink)await Server.Links.NextAsync();
        link.Headroom = headroom;
        link.SetCredit(credit);
        while ((await Server.SenderHandler.Flows.NextAsync()).Credit != credit) { }
        return (link, sender);
    }

    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync().AsTask().WaitAsync(Limit.Token);
        await Serving.WaitAsync(Limit.Token);
    }
}

internal sealed class DuplexPipe(PipeReader input, PipeWriter output) : IDuplexPipe
{
    public PipeReader Input => input;
    public PipeWriter Output => output;

    public static (DuplexPipe Near, DuplexPipe Far) Create(int pauseAt = 64 * 1024, int? pauseBackAt = null)
    {
        var (there, back) = (NewPipe(pauseAt), NewPipe(pauseBackAt ?? pauseAt));
        return (new DuplexPipe(back.Reader, there.Writer), new DuplexPipe(there.Reader, back.Writer));
    }

    private static Pipe NewPipe(int pauseAt) =>
        new(
            new PipeOptions(
                pauseWriterThreshold: pauseAt,
                resumeWriterThreshold: Math.Max(1, pauseAt / 2),
                useSynchronizationContext: false
            )
        );
}

/// <summary>The time after which a wait counts as hanging.</summary>
internal static class Limit
{
    private static readonly TimeSpan Time = TimeSpan.FromSeconds(60);
    private static readonly Lock Gate = new();

    private static CancellationTokenSource? _source;
    private static long _began;

    /// <summary>
    /// A token that is canceled after one to two limits. Waits that start within one limit share its timer, which
    /// outlives each of them.
    /// </summary>
    public static CancellationToken Token
    {
        get
        {
            lock (Gate)
            {
                if (_source is null || TimeProvider.System.GetElapsedTime(_began) > Time)
                {
                    _source = new CancellationTokenSource(2 * Time);
                    _began = TimeProvider.System.GetTimestamp();
                }
                return _source.Token;
            }
        }
    }
}

/// <summary>Accepts every link with <see cref="OnAttached"/>, and records all events.</summary>
internal sealed class TestServer : IConnectionListener
{
    private readonly TaskCompletionSource<AmqpConnection> _connected = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );

    public Task<AmqpConnection> Connection => _connected.Task;
    public Events<AmqpLink> Links { get; } = new();
    public Events<string> Log { get; } = new();
    public TestSender SenderHandler { get; } = new();
    public TestReceiver ReceiverHandler { get; } = new();

    /// <summary>Called for each attach. By default, accepts it and grants credit if the peer sends.</summary>
    public Action<TestServer, AmqpSession, Attach>? OnAttached { get; init; }

    public uint Credit { get; init; } = 100;

    public Action? WhenDrained { get; set; }

    public IConnectionListener Listen(AmqpConnection connection)
    {
        _connected.TrySetResult(connection);
        return this;
    }

    public void OnAttach(AmqpSession session, Attach attach)
    {
        if (OnAttached is not null)
            OnAttached(this, session, attach);
        else
            Accept(session, attach);
    }

    public void Accept(AmqpSession session, Attach attach)
    {
        var reply = new Attach { Source = attach.Source ?? new Source(), Target = attach.Target ?? new Target() };
        if (attach.Role == LinkRole.Receiver)
        {
            Links.Add(session.Accept<SenderLink>(attach, reply, SenderHandler));
            return;
        }
        var link = session.Accept<ReceiverLink>(attach, reply, ReceiverHandler);
        if (Credit > 0)
            link.SetCredit(Credit);
        Links.Add(link);
    }

    public void OnWriteDrained() => WhenDrained?.Invoke();

    public void OnSessionEnded(AmqpSession session) => Log.Add("session ended");

    public void OnClosed(AmqpConnection connection, AmqpError? error) =>
        Log.Add($"closed {error?.Condition}".TrimEnd());
}

/// <summary>Recorded events that can be awaited one by one.</summary>
internal sealed class Events<T>
{
    private readonly Channel<T> _channel = Channel.CreateUnbounded<T>();

    public bool IsEmpty => _channel.Reader.Count == 0;

    public void Add(T item) => _channel.Writer.TryWrite(item);

    public async Task<T> NextAsync() => await _channel.Reader.ReadAsync(Limit.Token);

    public async Task<List<T>> TakeAsync(int count)
    {
        var taken = new List<T>();
        while (taken.Count < count)
            taken.Add(await NextAsync());
        return taken;
    }
}

internal sealed class TestSender : ILinkHandler
{
    public Events<(uint Credit, bool Drain)> Flows { get; } = new();
    public Events<(uint Id, object? Context, DeliveryState? State, bool Settled)> Dispositions { get; } = new();
    public Events<AmqpError?> Detached { get; } = new();
    public Action<SenderLink>? WhenFlow { get; set; }
    public Action<SenderLink, uint, DeliveryState?>? WhenDisposition { get; set; }

    public void OnFlow(AmqpLink link)
    {
        var sender = (SenderLink)link;
        WhenFlow?.Invoke(sender);
        Flows.Add((sender.Credit, sender.IsDraining));
    }

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        WhenDisposition?.Invoke((SenderLink)link, deliveryId, state);
        Dispositions.Add((deliveryId, context, state, settled));
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => Detached.Add(error);
}

internal sealed class TestReceiver : ILinkHandler
{
    public Events<Message> Deliveries { get; } = new();
    public Events<AmqpError?> Detached { get; } = new();

    /// <summary>The state that settles each unsettled delivery immediately; <c>null</c> to leave it.</summary>
    public DeliveryState? Settle { get; set; } = Accepted.Instance;

    public sealed record Message(
        ReceiverLink Link,
        uint Id,
        bool Settled,
        DeliveryState? State,
        bool IsOversized,
        byte[] Buffer,
        byte[] Payload
    );

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        Deliveries.Add(
            new Message(
                link,
                delivery.DeliveryId,
                delivery.Settled,
                delivery.State,
                delivery.IsOversized,
                delivery.Buffer.ToArray(),
                delivery.Payload.ToArray()
            )
        );
        if (Settle is not null && !delivery.Settled)
            link.Settle(delivery.DeliveryId, Settle);
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => Detached.Add(error);
}
