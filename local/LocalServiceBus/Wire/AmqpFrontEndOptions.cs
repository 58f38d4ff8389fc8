namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>How the broker behaves toward AMQP clients.</summary>
public sealed class AmqpFrontEndOptions
{
    /// <summary>Clients learn when they connect that they must send something at least this often; after twice as long without a byte
    /// the connection is closed.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>Connections served at a time. A client beyond is told amqp:resource-limit-exceeded; of those as many again
    /// are told.</summary>
    public int MaxConnections { get; init; } = 1000;

    /// <summary>Sessions of a connection: told with the open, as channel-max.</summary>
    public int MaxSessions { get; init; } = 1024;

    /// <summary>Links of a connection; one more ends its session.</summary>
    public int MaxLinks { get; init; } = 1024;

    /// <summary>Bytes of unfinished messages of a connection, in each direction, and of what waits in its transactions. One message
    /// alone may have as many as its queue takes.</summary>
    public long MaxPartialBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>Messages that the clients of a connection may hold unsettled; they get no more until an eighth of them is
    /// settled.</summary>
    public int MaxUnsettled { get; init; } = 65536;

    /// <summary>Bytes of replies of a connection that wait for credit; a link for which more would wait is detached.</summary>
    public long MaxWaitingReplyBytes { get; init; } = 8 * 1024 * 1024;

    /// <summary>Transactions of a connection that are open at a time.</summary>
    public int MaxTransactions { get; init; } = 1024;

    /// <summary>The emulated round trip of a settlement to a distant service; null: answer at once.</summary>
    public SettlementLatencyOptions? SettlementLatency { get; init; }

    /// <exception cref="ArgumentOutOfRangeException">A limit cannot be.</exception>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxConnections, 1, nameof(MaxConnections));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxSessions, 1, nameof(MaxSessions));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxSessions, ushort.MaxValue + 1, nameof(MaxSessions));
        ArgumentOutOfRangeException.ThrowIfNegative(MaxWaitingReplyBytes, nameof(MaxWaitingReplyBytes));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxTransactions, 1, nameof(MaxTransactions));
    }
}

/// <summary>Log-normal delay between a settlement and its answer.</summary>
/// <param name="Mu">Mean of ln(milliseconds).</param>
/// <param name="Sigma">Standard deviation of ln(milliseconds).</param>
/// <param name="Seed">Equal seeds draw equal delays.</param>
public sealed record SettlementLatencyOptions(double Mu, double Sigma, int Seed);
