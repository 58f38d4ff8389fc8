using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>
/// A peer that has a <c>$cbs</c> node and <c>$management</c> nodes, which remember what they were told, and one queue to receive from;
/// every other link it takes and leaves alone.
/// </summary>
internal sealed class ScriptedServer : IConnectionListener, ISenderHandler, IReceiverHandler, IAsyncDisposable
{
    private readonly TcpListener _socket = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly TimeProvider _time;
    private readonly TaskCompletionSource _served = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentDictionary<string, SenderLink> _answers = [];
    private readonly ConcurrentDictionary<AmqpSession, string?> _sessions = [];
    private readonly Task _serving;

    public ScriptedServer(TimeProvider time)
    {
        _time = time;
        _socket.Start();
        _serving = ServeAsync();
    }

    public ConcurrentQueue<Dictionary<string, object?>> Tokens { get; } = [];

    /// <summary>What <c>$management</c> was asked; the answer is that there is nothing.</summary>
    public ConcurrentQueue<Dictionary<string, object?>> Questions { get; } = [];

    /// <summary>Whether questions are answered at all.</summary>
    public bool AnswersQuestions { get; set; } = true;

    /// <summary>What each connection called the host.</summary>
    public ConcurrentQueue<string?> HostNames { get; } = [];

    /// <summary>To which links lead that have not ended; each has a session of its own, or shares it with those to the same.</summary>
    public IEnumerable<string?> Addresses => _sessions.Values;

    /// <summary>Of further answers.</summary>
    public int Status { get; set; } = 202;

    /// <summary>Of further answers to an audience, whatever <see cref="Status"/> is.</summary>
    public ConcurrentDictionary<string, int> StatusOf { get; } = [];

    /// <summary>What it tells senders that it takes, in bytes.</summary>
    public (ulong Message, ulong Batch) Largest { get; init; }

    /// <summary>Completes when a connection of the client has ended.</summary>
    public Task Served => _served.Task;

    public ScriptedQueue Queue { get; } = new();

    public Uri Address => new($"sb://127.0.0.1:{((IPEndPoint)_socket.LocalEndpoint).Port}");

    public string ConnectionString =>
        $"Endpoint=sb://{Address.Authority};SharedAccessKeyName=root;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _socket.Stop();
        await _serving;
        _stop.Dispose();
    }

    /// <summary>The connection stays; returns when the client knows.</summary>
    public Task DetachClaimsAsync() => DetachAsync("$cbs");

    /// <summary>Ends the answers of one node.</summary>
    public Task DetachAsync(string node) => _answers[node].DetachAsync(new AmqpError(ErrorConditions.InternalError));

    void IConnectionListener.OnAttach(AmqpSession session, Attach attach)
    {
        var reply = new Attach
        {
            Source = attach.Source,
            Target = attach.Target,
            MaxMessageSize = Largest.Message,
            Properties = new() { ["com.microsoft:max-message-batch-size"] = Largest.Batch },
        };
        var address = attach.Role == LinkRole.Sender ? attach.Target?.Address : attach.Source?.Address;
        _sessions[session] = address;
        if (attach.Role == LinkRole.Sender)
            session.AcceptReceiver(attach, reply, this).SetCredit(1000);
        else if (address is not null && (address == "$cbs" || IsManagement(address)))
            _answers[address] = session.AcceptSender(attach, reply, this);
        else
            session.AcceptSender(attach, reply, Queue);
    }

    void IReceiverHandler.OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var request = AmqpMessage.Decode(delivery.Payload);
        var address = link.Remote.Target!.Address!;
        if (IsManagement(address) && !AnswersQuestions)
        {
            Questions.Enqueue(request.ApplicationProperties!);
            return;
        }
        var answer = new AmqpMessage
        {
            Properties = new MessageProperties { CorrelationId = request.Properties!.MessageId },
            ApplicationProperties = IsManagement(address) ? AnswerToQuestion(request) : AnswerToToken(request),
        };
        _answers[address].TrySend([1], answer.ToArray(), [], 0, settled: true, null, out _);
    }

    void IConnectionListener.OnSessionEnded(AmqpSession session) => _sessions.TryRemove(session, out _);

    void IConnectionListener.OnClosed(AmqpConnection connection, AmqpError? error)
    {
    }

    void ISenderHandler.OnFlow(SenderLink link)
    {
    }

    void ISenderHandler.OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
    }

    void ISenderHandler.OnDetached(SenderLink link, AmqpError? error)
    {
    }

    void IReceiverHandler.OnDisposition(ReceiverLink link, uint deliveryId, DeliveryState? state, bool settled)
    {
    }

    void IReceiverHandler.OnFlow(ReceiverLink link)
    {
    }

    void IReceiverHandler.OnDetached(ReceiverLink link, AmqpError? error)
    {
    }

    private static bool IsManagement(string address) => address.EndsWith("/$management", StringComparison.Ordinal);

    private Dictionary<string, object?> AnswerToQuestion(AmqpMessage request)
    {
        Questions.Enqueue(request.ApplicationProperties!);
        return new() { ["statusCode"] = 204 };
    }

    private Dictionary<string, object?> AnswerToToken(AmqpMessage request)
    {
        Tokens.Enqueue(new(request.ApplicationProperties!) { ["token"] = request.Value });
        var status = StatusOf.GetValueOrDefault((string)request.ApplicationProperties!["name"]!, Status);
        return new() { ["status-code"] = status, ["status-description"] = "as told" };
    }

    private async Task ServeAsync()
    {
        var connections = new List<Task>();
        try
        {
            while (true)
                connections.Add(ServeAsync(await _socket.AcceptTcpClientAsync(_stop.Token)));
        }
        catch (Exception) when (_stop.IsCancellationRequested)
        {
            // Cancelled, or the socket was closed before the wait for a connection began.
        }

        await Task.WhenAll(connections);
    }

    private async Task ServeAsync(TcpClient client)
    {
        using var ending = client;
        var stream = client.GetStream();
        var options = new AmqpConnectionOptions { IdleTimeout = TimeSpan.Zero, TimeProvider = _time };
        await AmqpConnection.ServeAsync(new Duplex(PipeReader.Create(stream), PipeWriter.Create(stream)), options, Met, _stop.Token);
        _served.TrySetResult();
    }

    private ScriptedServer Met(AmqpConnection connection)
    {
        HostNames.Enqueue(connection.RemoteOpen.HostName);
        return this;
    }

    private sealed record Duplex(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
