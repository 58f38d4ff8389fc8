using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>How the broker behaves toward AMQP clients.</summary>
internal sealed class AmqpFrontEndOptions
{
    /// <summary>Of each connection. What waits in its transactions counts as unfinished messages.</summary>
    public AmqpConnectionOptions Connection { get; init; } = new();

    /// <summary>Connections served at a time. A client beyond is told amqp:resource-limit-exceeded; of those as many again
    /// are told.</summary>
    public int MaxConnections { get; init; } = 5000;

    /// <summary>Bytes of replies of a connection that wait for credit; a link for which more would wait is detached.</summary>
    public long MaxWaitingReplyBytes { get; init; } = 8 * 1024 * 1024;

    /// <summary>Transactions of a connection that are open at a time.</summary>
    public int MaxTransactions { get; init; } = 1024;

    /// <summary>Sends a response to a settlement later, on any thread; <c>null</c> to send it at once.</summary>
    public Action<Action>? DelaySettlementResponse { get; init; }
}
