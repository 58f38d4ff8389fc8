using System.Collections.Concurrent;
using System.IO.Pipelines;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Serves the entities of a namespace to AMQP 1.0 clients, one call of <see cref="ServeAsync"/> for each connection.</summary>
public sealed partial class AmqpFrontEnd : IAsyncDisposable
{
    readonly ServiceBusNamespace entities;
    readonly SettlementLatency? latency;
    readonly ILogger logger;
    readonly AmqpConnectionOptions connectionOptions;
    readonly ConcurrentDictionary<string, ClientConnection> connections = [];
    readonly AmqpFrontEndOptions options;
    readonly Places serving;
    readonly Places refusing;

    public AmqpFrontEnd(ServiceBusNamespace entities, AmqpFrontEndOptions options, ILoggerFactory loggers)
    {
        options.Validate();
        this.entities = entities;
        this.options = options;
        serving = new Places(options.MaxConnections);
        refusing = new Places(options.MaxConnections);
        latency = options.SettlementLatency is { } settlement ? new SettlementLatency(settlement, entities.Time, entities.Defects) : null;
        logger = loggers.CreateLogger<AmqpFrontEnd>();
        connectionOptions = new AmqpConnectionOptions
        {
            ContainerId = "local-service-bus",
            IdleTimeout = options.IdleTimeout,
            TimeProvider = entities.Time,
            ChannelMax = (ushort)(options.MaxSessions - 1),
            MaxLinks = options.MaxLinks,
            MaxPartialBytes = options.MaxPartialBytes,
            MaxUnsettled = options.MaxUnsettled,
        };
        connectionOptions.Validate();
        entities.QueueDeleted += OnQueueDeleted;
        entities.QueueFailed += OnQueueFailed;
        entities.Defects.Found += OnDefect;
    }

    public int ConnectionCount => connections.Count;

    /// <summary>Bytes that clients have not read, as far as this process knows.</summary>
    internal long UnsentBytes => connections.Values.Sum(connection => (long)connection.UnsentBytes);

    /// <summary>The receiving clients' links of one queue (dead-letter queue not included).</summary>
    public IReadOnlyList<LinkState> LinksOf(Queue queue) => [.. connections.Values.SelectMany(connection => connection.LinksOf(queue))];

    /// <summary>The same of every queue.</summary>
    internal ILookup<Queue, LinkState> Links() =>
        connections.Values.SelectMany(connection => connection.Links).ToLookup(link => link.Queue, link => link.State);

    /// <summary>Serves one client until its connection ends. Never throws for what a client sends.</summary>
    public async Task ServeAsync(IDuplexPipe transport, CancellationToken cancellationToken)
    {
        if (await TryAsync(serving, () => ServeClientAsync(transport, cancellationToken))) return;
        var why = Refusal.TooManyConnections(options.MaxConnections);
        await TryAsync(refusing, () => AmqpConnection.RefuseAsync(transport, connectionOptions, why, cancellationToken));
    }

    static async Task<bool> TryAsync(Places places, Func<Task> serve)
    {
        if (!places.TryTake()) return false;
        try
        {
            await serve();
            return true;
        }
        finally
        {
            places.GiveBack();
        }
    }

    async Task ServeClientAsync(IDuplexPipe transport, CancellationToken cancellationToken)
    {
        ClientConnection? client = null;
        try
        {
            await AmqpConnection.ServeAsync(transport, connectionOptions, Open, cancellationToken);
        }
        finally
        {
            if (client is not null)
            {
                connections.TryRemove(client.Id, out _);
                await client.Detached;
            }
        }

        IConnectionListener Open(AmqpConnection connection)
        {
            client = new ClientConnection(connection, entities, latency, options.MaxWaitingReplyBytes, logger);
            return connections[client.Id] = client;
        }
    }

    /// <summary>Ends every connection at once, without an AMQP close, as a network failure would.</summary>
    /// <returns>How many connections were dropped.</returns>
    public int DropConnections()
    {
        var dropped = 0;
        foreach (var connection in connections.Values)
        {
            connection.Abort();
            dropped++;
        }
        return dropped;
    }

    public async ValueTask DisposeAsync()
    {
        entities.QueueDeleted -= OnQueueDeleted;
        entities.QueueFailed -= OnQueueFailed;
        entities.Defects.Found -= OnDefect;
        await Task.WhenAll(connections.Values.Select(connection => connection.CloseAsync(CancellationToken.None)));
        latency?.Dispose();
    }

    void OnQueueDeleted(Queue queue)
    {
        foreach (var client in connections.Values) client.Detach(queue, Refusal.NotFound(queue.Name));
    }

    void OnQueueFailed(Queue queue)
    {
        foreach (var client in connections.Values) client.Detach(queue, Refusal.Failed(queue.Name));
    }

    void OnDefect(string where, Exception error) => Log.Defect(logger, error, where);

    static partial class Log
    {
        [LoggerMessage(LogLevel.Error, "A defect of the broker in {Where}")]
        public static partial void Defect(ILogger logger, Exception error, string where);
    }
}
