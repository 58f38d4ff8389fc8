namespace DroneDelivery.Amqp;

/// <summary>Negotiates the connection's parameters (AMQP 1.0 §2.7.1).</summary>
public sealed class Open : Performative
{
    internal const ulong Code = 0x10;

    public string ContainerId { get; set; } = "";
    public string? HostName { get; set; }
    /// <summary>Bytes; absent means no limit.</summary>
    public uint? MaxFrameSize { get; set; }
    public ushort? ChannelMax { get; set; }
    /// <summary>Milliseconds.</summary>
    public uint? IdleTimeout { get; set; }
    public Symbol[]? OutgoingLocales { get; set; }
    public Symbol[]? IncomingLocales { get; set; }
    public Symbol[]? OfferedCapabilities { get; set; }
    public Symbol[]? DesiredCapabilities { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }
}
