using System.Threading.Channels;
using DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A plain AMQP client that grants, sends, and settles exactly what the test specifies.</summary>
internal sealed class AmqpClient : IAsyncDisposable
{
    private int _names;

    private AmqpClient(AmqpConnection connection, AmqpSession session) => (Connection, Session) = (connection, session);

    public AmqpConnection Connection { get; }
    public AmqpSession Session { get; }

    /// <summary>Ends every wait, at the latest, with the test.</summary>
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Credentials of the rule with all permissions.</summary>
    public static SaslClient WithKey { get; } = SaslClient.Plain("RootManageSharedAccessKey", "SAS_KEY_VALUE");

    public static async Task<AmqpClient> ConnectAsync(BrokerFixture broker, SaslClient? login = null)
    {
        var (port, options) = (broker.Broker.Address.Port, new AmqpConnectionOptions());
        return await OnAsync(await AmqpDialer.ConnectAsync("127.0.0.1", port, login ?? WithKey, options, Cancel));
    }

    public static async Task<AmqpClient> OnAsync(AmqpConnection connection) =>
        new(connection, await connection.BeginSessionAsync(null, Cancel));

    /// <param name="address">The address of a queue or topic.</param>
    /// <param name="destination">
    /// The destination of transfers through that queue or topic; <c>null</c> to send to the address itself.
    /// </param>
    public Task<SenderLink> SenderAsync(string address, string? destination = null)
    {
        var attach = new Attach
        {
            Name = NextName(),
            Source = new Source(),
            Target = new Target { Address = address },
            Properties = destination is null ? null : Frames.ForwardedTo(destination),
        };
        return Session.AttachSenderAsync(attach, new AmqpReceiver(), Cancel);
    }

    public Task<ReceiverLink> ReceiverAsync(
        string address,
        ILinkHandler handler,
        bool receiveAndDelete = false,
        AmqpSession? session = null
    )
    {
        var attach = new Attach
        {
            Name = NextName(),
            SndSettleMode = receiveAndDelete ? SenderSettleMode.Settled : null,
            RcvSettleMode = receiveAndDelete ? ReceiverSettleMode.First : ReceiverSettleMode.Second,
            Source = new Source { Address = address },
            Target = new Target(),
        };
        return (session ?? Session).AttachReceiverAsync(attach, handler, Cancel);
    }

    public async Task<AmqpReceiver> ReceiverAsync(
        string address,
        uint credit,
        bool receiveAndDelete = false,
        AmqpSession? session = null
    )
    {
        var receiver = new AmqpReceiver();
        receiver.Link = await ReceiverAsync(address, receiver, receiveAndDelete, session);
        if (credit > 0)
            receiver.Link.SetCredit(credit);
        return receiver;
    }

    public ValueTask DisposeAsync() => Connection.DisposeAsync();

    public async Task<AmqpMessage> AskAsync(
        string entity,
        string operation,
        params (string Name, object? Value)[] arguments
    )
    {
        var replies = await ReceiverAsync($"{entity}/$management", 1, receiveAndDelete: true);
        await RequestAsync(entity, operation, arguments);
        return (await replies.NextAsync()).Message;
    }

    /// <summary>Sends a request without waiting for the reply.</summary>
    public async Task RequestAsync(string entity, string operation, params (string Name, object? Value)[] arguments)
    {
        var requests = await SenderAsync($"{entity}/$management");
        await requests.SendAsync(Request(operation, arguments).ToArray(), 0, settled: true, Cancel);
    }

    public static AmqpMessage Request(
        string operation,
        (string Name, object? Value)[] arguments,
        string? replyTo = null
    ) =>
        new()
        {
            Properties = new() { MessageId = "id", ReplyTo = replyTo },
            ApplicationProperties = new() { ["operation"] = $"com.microsoft:{operation}" },
            Value = arguments.ToDictionary(argument => (object)argument.Name, argument => argument.Value),
        };

    /// <returns>The error condition of the rejected link.</returns>
    public static async Task<string> RejectionAsync(Task attaching) =>
        (await Assert.ThrowsAsync<AmqpException>(() => attaching.WaitAsync(TimeSpan.FromSeconds(60), Cancel)))
            .Error
            .Condition
            .Value;

    public static byte[] Encode(string text) => new AmqpMessage { Data = [Encoding.UTF8.GetBytes(text)] }.ToArray();

    public static int StatusOf(AmqpMessage reply) => Assert.IsType<int>(reply.ApplicationProperties!["statusCode"]);

    public static Dictionary<object, object?> Body(AmqpMessage reply) =>
        Assert.IsType<Dictionary<object, object?>>(reply.Value);

    private string NextName() => $"link-{Interlocked.Increment(ref _names)}";
}

internal sealed record ReceivedMessage(uint Id, byte[] Tag, bool Settled, AmqpMessage Message)
{
    public string Text => Encoding.UTF8.GetString(Message.Data![0].Span);
    public Guid LockToken => new(Tag);
}

internal sealed class AmqpReceiver : ILinkHandler
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(60);

    private readonly Channel<ReceivedMessage> _received = Channel.CreateUnbounded<ReceivedMessage>();
    private readonly TaskCompletionSource<AmqpError?> _detached = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ReceiverLink Link { get; set; } = null!;

    /// <summary>Called on the read loop, before the test can receive the message.</summary>
    public Action? OnReceived { get; set; }

    public Task<AmqpError?> Detached => _detached.Task.WaitAsync(MaxWait, AmqpClient.Cancel);

    /// <summary>Completes when all credit has been used or returned.</summary>
    public Task Drained => _drained.Task.WaitAsync(MaxWait, AmqpClient.Cancel);

    /// <summary>The number of transfers that the test has not received yet.</summary>
    public int Waiting => _received.Reader.Count;

    public async Task<ReceivedMessage> NextAsync() =>
        await _received.Reader.ReadAsync(AmqpClient.Cancel).AsTask().WaitAsync(MaxWait, AmqpClient.Cancel);

    /// <returns><c>null</c> if canceled.</returns>
    public async Task<ReceivedMessage?> NextUntilAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _received.Reader.ReadAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    public async Task<List<ReceivedMessage>> NextAsync(int count)
    {
        var messages = new List<ReceivedMessage>();
        for (var i = 0; i < count; i++)
            messages.Add(await NextAsync());
        return messages;
    }

    public Task<DeliveryState?> SettleAsync(ReceivedMessage message, DeliveryState outcome) =>
        Link.SettleAsync(message.Id, outcome, AmqpClient.Cancel).WaitAsync(MaxWait, AmqpClient.Cancel);

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        OnReceived?.Invoke();
        _received.Writer.TryWrite(
            new ReceivedMessage(
                delivery.DeliveryId,
                delivery.Tag.ToArray(),
                delivery.Settled,
                AmqpMessage.Decode(delivery.Payload)
            )
        );
    }

    public void OnFlow(AmqpLink link)
    {
        if (link.Credit == 0)
            _drained.TrySetResult();
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => _detached.TrySetResult(error);
}
