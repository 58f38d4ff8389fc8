using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Threading.RateLimiting;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Serves the entities of a namespace to AMQP 1.0 clients.</summary>
internal sealed partial class AmqpFrontEnd : IAsyncDisposable
{
    private readonly ServiceBusNamespace _entities;
    private readonly Action<Action>? _delaySettlementResponse;
    private readonly ILogger _logger;
    private readonly AmqpConnectionOptions _connectionOptions;
    private readonly ConcurrentDictionary<string, ClientConnection> _connections = [];
    private readonly AmqpFrontEndOptions _options;
    private readonly AccessRules _rules;
    private readonly ConcurrencyLimiter _serving;

    /// <param name="rules"><c>null</c> for full access without authentication.</param>
    public AmqpFrontEnd(
        ServiceBusNamespace entities,
        AmqpFrontEndOptions options,
        ILoggerFactory loggers,
        AccessRules? rules = null
    )
    {
        _rules = rules ?? new AccessRules([AccessRule.WellKnown], areRequired: false, entities.Time);
        _entities = entities;
        _options = options;
        _serving = new ConcurrencyLimiter(new() { PermitLimit = options.MaxConnections });
        if (options.DelaySettlementResponse is { } delay)
        {
            _delaySettlementResponse = response =>
                delay(() => entities.Defects.Guard("responding to a settlement", response));
        }
        _logger = loggers.CreateLogger<AmqpFrontEnd>();
        _connectionOptions = options.Connection with
        {
            ContainerId = "local-service-bus",
            TimeProvider = entities.Time,
        };
        entities.QueueClosed += OnQueueClosed;
        entities.Defects.Found += OnDefect;
    }

    public int ConnectionCount => _connections.Count;

    internal IEnumerable<AmqpConnection> Connections => _connections.Values.Select(client => client.Connection);

    internal ILookup<Queue, LinkState> Links() =>
        _connections.Values.SelectMany(connection => connection.Links).ToLookup(link => link.Queue, link => link.State);

    /// <summary>Serves one connection until it ends. Invalid input from the client never throws.</summary>
    public async Task ServeAsync(IDuplexPipe transport, CancellationToken cancellationToken)
    {
        using var place = _serving.AttemptAcquire();
        if (place.IsAcquired)
        {
            await ServeClientAsync(transport, cancellationToken);
            return;
        }
        var why = ClientErrors.TooManyConnections(_options.MaxConnections);
        await AmqpConnection.RefuseAsync(transport, _connectionOptions, why, cancellationToken);
    }

    private async Task ServeClientAsync(IDuplexPipe transport, CancellationToken cancellationToken)
    {
        ClientConnection? client = null;
        Grant? login = null;
        var options = _connectionOptions with { Authenticate = init => _rules.TryAdmit(init, out login) };
        try
        {
            await AmqpConnection.ServeAsync(transport, options, Open, cancellationToken);
        }
        finally
        {
            if (client is not null)
                _connections.TryRemove(client.Connection.Id, out _);
        }

        IConnectionListener Open(AmqpConnection connection)
        {
            client = new ClientConnection(
                connection,
                _entities,
                _delaySettlementResponse,
                _options,
                _rules,
                login,
                _logger
            );
            return _connections[connection.Id] = client;
        }
    }

    /// <summary>Closes all connections without an AMQP close, as a network failure would.</summary>
    public int DropConnections()
    {
        var dropping = _connections.Values;
        foreach (var client in dropping)
            client.Connection.Abort();
        return dropping.Count;
    }

    public async ValueTask DisposeAsync()
    {
        _entities.QueueClosed -= OnQueueClosed;
        _entities.Defects.Found -= OnDefect;
        var why = new AmqpError(ErrorConditions.ConnectionForced, "The broker is stopping.");
        await Task.WhenAll(_connections.Values.Select(client => client.Connection.CloseAsync(why)));
        await _serving.DisposeAsync();
    }

    private void OnQueueClosed(Queue queue)
    {
        foreach (var client in _connections.Values)
            client.EndLinks(queue);
    }

    private void OnDefect(string where, Exception error) => Log.Defect(_logger, error, where);

    private static partial class Log
    {
        [LoggerMessage(LogLevel.Error, "Internal error in {Where}")]
        public static partial void Defect(ILogger logger, Exception error, string where);
    }
}
