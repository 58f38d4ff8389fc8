using System.IO.Pipelines;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Serves the entities of a namespace to AMQP 1.0 clients, one call of <see cref="ServeAsync"/> for each connection.</summary>
public sealed class AmqpFrontEnd(ServiceBusNamespace entities, AmqpFrontEndOptions options, ILoggerFactory loggers) : IAsyncDisposable
{
    readonly List<IDuplexPipe> connections = [];

    public int ConnectionCount => connections.Count;

    /// <summary>The receiving clients' links of one queue (dead-letter queue not included).</summary>
    public IReadOnlyList<LinkState> LinksOf(Queue queue) => connections.Count == 0 ? [] : throw new NotImplementedException();

    /// <summary>Serves one client until its connection ends. Never throws for what a client sends.</summary>
    public Task ServeAsync(IDuplexPipe transport, CancellationToken cancellationToken)
    {
        _ = (entities, options, loggers);
        throw new NotImplementedException();
    }

    /// <summary>Ends every connection at once, without an AMQP close, as a network failure would.</summary>
    /// <returns>How many connections were dropped.</returns>
    public int DropConnections() => connections.Count;

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
