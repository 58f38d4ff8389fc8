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

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteString(ContainerId);
        writer.WriteString(HostName);
        writer.Field(MaxFrameSize);
        writer.Field(ChannelMax);
        writer.Field(IdleTimeout);
        writer.WriteValue(OutgoingLocales);
        writer.WriteValue(IncomingLocales);
        writer.WriteValue(OfferedCapabilities);
        writer.WriteValue(DesiredCapabilities);
        writer.Field(Properties);
        writer.EndList(fields, 10);
    }

    internal static Open Read(ref FieldReader fields) => new()
    {
        ContainerId = fields.String() ?? throw FieldReader.Missing("open.container-id"),
        HostName = fields.String(),
        MaxFrameSize = fields.UInt(),
        ChannelMax = fields.UShort(),
        IdleTimeout = fields.UInt(),
        OutgoingLocales = fields.Symbols(),
        IncomingLocales = fields.Symbols(),
        OfferedCapabilities = fields.Symbols(),
        DesiredCapabilities = fields.Symbols(),
        Properties = fields.Map(),
    };
}
