namespace DroneDelivery.Amqp;

/// <summary>What a begin tells the peer (AMQP 1.0 §2.7.2). Windows count transfer frames.</summary>
public sealed class SessionOptions
{
    /// <summary>The most that serial numbers can add (RFC 1982 §3.1); with more, RabbitMQ ends the connection.</summary>
    public const uint LargestWindow = int.MaxValue;

    public uint IncomingWindow { get; set; } = LargestWindow;
    public uint OutgoingWindow { get; set; } = LargestWindow;

    /// <summary>The highest handle; one link uses one handle.</summary>
    public uint HandleMax { get; set; } = 1023;

    /// <summary>The first transfer-id and delivery-id.</summary>
    internal uint FirstId { get; set; }
}
