namespace DroneDelivery.Amqp;

/// <summary>Where the messages of a link come from (AMQP 1.0 §3.5.3).</summary>
public sealed class Source
{
    internal const ulong Code = 0x28;

    public string? Address { get; set; }
    public uint? Durable { get; set; }
    public Symbol? ExpiryPolicy { get; set; }
    /// <summary>Seconds.</summary>
    public uint? Timeout { get; set; }
    public bool? Dynamic { get; set; }
    public Dictionary<Symbol, object?>? DynamicNodeProperties { get; set; }
    public Symbol? DistributionMode { get; set; }
    /// <summary>Filters by name; the values are <see cref="DescribedValue"/>s, though some clients send plain ones.</summary>
    public Dictionary<Symbol, object?>? Filter { get; set; }
    public DeliveryState? DefaultOutcome { get; set; }
    public Symbol[]? Outcomes { get; set; }
    public Symbol[]? Capabilities { get; set; }
}
