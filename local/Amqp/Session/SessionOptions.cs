namespace DroneDelivery.Amqp;

/// <summary>The parameters of a session (AMQP 1.0 §2.7.2). Windows count transfer frames.</summary>
public sealed class SessionOptions
{
    /// <summary>The maximum increment of serial numbers (RFC 1982 §3.1). RabbitMQ closes the connection if it's
    /// exceeded.</summary>
    public const uint MaxWindow = int.MaxValue;

    public uint IncomingWindow { get; set; } = MaxWindow;
    public uint OutgoingWindow { get; set; } = MaxWindow;

    /// <summary>The highest handle. Each link uses one handle.</summary>
    public uint HandleMax { get; set; } = 1023;

    internal uint FirstId { get; set; }
}
