using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus.Tests.Connection;

/// <summary>
/// A peer that has a <c>$cbs</c> node, which remembers what it was told, and one queue to receive from; every other link it takes and leaves
/// alone.
/// </summary>
internal sealed class ScriptedServer : IConnectionListener, ISenderHandler, IReceiverHandler, IAsyncDisposable
{
    private readonly TcpListener socket = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource stop = new();
    private readonly TimeProvider time;
    private readonly Task serving;
    private SenderLink? answers;

    public ScriptedServer(TimeProvider time)
    {
        this.time = time;
        socket.Start();
        serving = ServeAsync();
    }

    public ConcurrentQueue<Dictionary<string, object?>> Tokens { get; } = [];

    /// <summary>Of further answers.</summary>
    public int Status { get; set; } = 202;

    /// <summary>Of further answers to an audience, whatever <see cref="Status"/> is.</summary>
    public ConcurrentDictionary<string, int> StatusOf { get; } = [];

    /// <summary>What it tells senders that it takes, in bytes.</summary>
    public (ulong Message, ulong Batch) Largest { get; init; }

    /// <summary>Completes when the client's connection has ended.</summary>
    public Task Served => serving;

    public ScriptedQueue Queue { get; } = new();

    public string ConnectionString =>
        $"Endpoint=sb://127.0.0.1:{((IPEndPoint)socket.LocalEndpoint).Port};SharedAccessKeyName=root;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    public async ValueTask DisposeAsync()
    {
        await stop.CancelAsync();
        socket.Stop();
        await serving;
        stop.Dispose();
    }

    void IConnectionListener.OnAttach(AmqpSession session, Attach attach)
    {
        var reply = new Attach
        {
            Source = attach.Source,
            Target = attach.Target,
            MaxMessageSize = Largest.Message,
            Properties = new() { ["com.microsoft:max-message-batch-size"] = Largest.Batch },
        };
        if (attach.Role == LinkRole.Sender)
            session.AcceptReceiver(attach, reply, this).SetCredit(1000);
        else if (attach.Source?.Address == "$cbs")
            answers = session.AcceptSender(attach, reply, this);
        else
            session.AcceptSender(attach, reply, Queue);
    }

    void IReceiverHandler.OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var request = AmqpMessage.Decode(delivery.Payload);
        Tokens.Enqueue(new(request.ApplicationProperties!) { ["token"] = request.Value });
        var status = StatusOf.GetValueOrDefault((string)request.ApplicationProperties!["name"]!, Status);
        var answer = new AmqpMessage
        {
            Properties = new MessageProperties { CorrelationId = request.Properties!.MessageId },
            ApplicationProperties = new() { ["status-code"] = status, ["status-description"] = "as told" },
        };
        answers!.TrySend([1], answer.ToArray(), [], 0, settled: true, null, out _);
    }

    void IConnectionListener.OnSessionEnded(AmqpSession session)
    {
    }

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

    private async Task ServeAsync()
    {
        using var client = await socket.AcceptTcpClientAsync();
        var stream = client.GetStream();
        var options = new AmqpConnectionOptions { IdleTimeout = TimeSpan.Zero, TimeProvider = time };
        await AmqpConnection.ServeAsync(new Duplex(PipeReader.Create(stream), PipeWriter.Create(stream)), options, _ => this, stop.Token);
    }

    private sealed record Duplex(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
