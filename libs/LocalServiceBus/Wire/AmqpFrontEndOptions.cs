namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>How the broker behaves toward AMQP clients.</summary>
public sealed class AmqpFrontEndOptions
{
    /// <summary>Clients learn when they connect that they must send something at least this often; after twice as long without a byte
    /// the connection is closed.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>The emulated round trip of a settlement to a distant service; null: answer at once.</summary>
    public SettlementLatencyOptions? SettlementLatency { get; init; }
}

/// <summary>Log-normal delay between a settlement and its answer.</summary>
/// <param name="Mu">Mean of ln(milliseconds).</param>
/// <param name="Sigma">Standard deviation of ln(milliseconds).</param>
/// <param name="Seed">Equal seeds draw equal delays.</param>
public sealed record SettlementLatencyOptions(double Mu, double Sigma, int Seed);
