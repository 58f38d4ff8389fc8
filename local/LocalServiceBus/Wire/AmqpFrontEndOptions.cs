using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

internal sealed class AmqpFrontEndOptions
{
    /// <summary>The limits of each connection. Pending operations of transactions count as unfinished
    /// messages.</summary>
    public AmqpConnectionOptions Connection { get; init; } = new();

    /// <summary>The maximum number of connections. Further clients receive amqp:resource-limit-exceeded, up to the same
    /// number concurrently.</summary>
    public int MaxConnections { get; init; } = 5000;

    /// <summary>The maximum size of replies on a connection that wait for credit, in bytes. A link that exceeds it is
    /// detached.</summary>
    public long MaxWaitingReplyBytes { get; init; } = 8 * 1024 * 1024;

    public int MaxTransactions { get; init; } = 1024;

    /// <summary>Delays a response to a settlement, on any thread; <c>null</c> to send it immediately.</summary>
    public Action<Action>? DelaySettlementResponse { get; init; }
}
