using System.Threading.Channels;
using DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A client that speaks plain AMQP with the broker: what it grants, sends and settles is exactly what the test says.</summary>
internal sealed class AmqpClient : IAsyncDisposable
{
    private int _names;

    private AmqpClient(AmqpConnection connection, AmqpSession session) => (Connection, Session) = (connection, session);

    public AmqpConnection Connection { get; }
    public AmqpSession Session { get; }

    /// <summary>Every wait in these tests ends, at the latest, with the test.</summary>
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Of the rule that may do everything.</summary>
    public static SaslClient WithKey { get; } = SaslClient.Plain("RootManageSharedAccessKey", "SAS_KEY_VALUE");

    public static async Task<AmqpClient> ConnectAsync(BrokerFixture broker, SaslClient? login = null)
    {
        var (port, options) = (broker.Broker.Address.Port, new AmqpConnectionOptions());
        return await OnAsync(await AmqpDialer.ConnectAsync("127.0.0.1", port, login ?? WithKey, options, Cancel));
    }

    public static async Task<AmqpClient> OnAsync(AmqpConnection connection) =>
        new(connection, await connection.BeginSessionAsync(null, Cancel));

    /// <param name="address">Of a queue or topic.</param>
    /// <param name="destination">Where messages go through that queue or topic; null: they stay there.</param>
    public Task<SenderLink> SenderAsync(string address, string? destination = null)
    {
        var attach = new Attach
        {
            Name = NextName(),
            Source = new Source(),
            Target = new Target { Address = address },
            Properties = destination is null ? null : Words.ForwardedTo(destination),
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

    /// <summary>The same, and somebody else waits for the reply.</summary>
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

    /// <returns>The condition with which the broker refuses the link.</returns>
    public static async Task<string> RefusalAsync(Task attaching) =>
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
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly Channel<ReceivedMessage> _received = Channel.CreateUnbounded<ReceivedMessage>();
    private readonly TaskCompletionSource<AmqpError?> _detached = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ReceiverLink Link { get; set; } = null!;

    /// <summary>Called on the read loop, before the message is to be had.</summary>
    public Action? OnReceived { get; set; }

    public Task<AmqpError?> Detached => _detached.Task.WaitAsync(Patience, AmqpClient.Cancel);

    /// <summary>All credit was used or given back.</summary>
    public Task Drained => _drained.Task.WaitAsync(Patience, AmqpClient.Cancel);

    /// <summary>Transfers that came and were not taken by the test.</summary>
    public int Waiting => _received.Reader.Count;

    public async Task<ReceivedMessage> NextAsync() =>
        await _received.Reader.ReadAsync(AmqpClient.Cancel).AsTask().WaitAsync(Patience, AmqpClient.Cancel);

    /// <returns>Null: cancelled.</returns>
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
        Link.SettleAsync(message.Id, outcome, AmqpClient.Cancel).WaitAsync(Patience, AmqpClient.Cancel);

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
