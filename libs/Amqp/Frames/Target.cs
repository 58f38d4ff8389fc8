namespace DroneDelivery.Amqp;

/// <summary>Where the messages of a link go (AMQP 1.0 §3.5.4).</summary>
public sealed class Target
{
    internal const ulong Code = 0x29;

    public string? Address { get; set; }
    public uint? Durable { get; set; }
    public Symbol? ExpiryPolicy { get; set; }
    /// <summary>Seconds.</summary>
    public uint? Timeout { get; set; }
    public bool? Dynamic { get; set; }
    public Dictionary<Symbol, object?>? DynamicNodeProperties { get; set; }
    public Symbol[]? Capabilities { get; set; }
}
