namespace DroneDelivery.Amqp;

/// <summary>What a begin tells the peer (AMQP 1.0 §2.7.2). Windows count transfer frames.</summary>
public sealed class SessionOptions
{
    public uint IncomingWindow { get; set; } = uint.MaxValue;
    public uint OutgoingWindow { get; set; } = uint.MaxValue;
    /// <summary>The highest handle; one link uses one handle.</summary>
    public uint HandleMax { get; set; } = 1023;

    /// <summary>The first transfer-id and delivery-id.</summary>
    internal uint FirstId { get; set; }
}
