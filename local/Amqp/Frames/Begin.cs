namespace DroneDelivery.Amqp;

/// <summary>Begins a session on a channel (AMQP 1.0 §2.7.2).</summary>
internal sealed class Begin : Performative
{
    internal const ulong Code = 0x11;

    public ushort? RemoteChannel { get; set; }
    public uint NextOutgoingId { get; set; }
    public uint IncomingWindow { get; set; }
    public uint OutgoingWindow { get; set; }
    public uint? HandleMax { get; set; }
    public Symbol[]? OfferedCapabilities { get; set; }
    public Symbol[]? DesiredCapabilities { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.Field(RemoteChannel);
        writer.WriteUInt(NextOutgoingId);
        writer.WriteUInt(IncomingWindow);
        writer.WriteUInt(OutgoingWindow);
        writer.Field(HandleMax);
        writer.WriteValue(OfferedCapabilities);
        writer.WriteValue(DesiredCapabilities);
        writer.Field(Properties);
        writer.EndList(fields, 8);
    }

    internal static Begin Read(ref FieldReader fields) => new()
    {
        RemoteChannel = fields.UShort(),
        NextOutgoingId = fields.UInt() ?? throw FieldReader.Missing("begin.next-outgoing-id"),
        IncomingWindow = fields.UInt() ?? throw FieldReader.Missing("begin.incoming-window"),
        OutgoingWindow = fields.UInt() ?? throw FieldReader.Missing("begin.outgoing-window"),
        HandleMax = fields.UInt(),
        OfferedCapabilities = fields.Symbols(),
        DesiredCapabilities = fields.Symbols(),
        Properties = fields.Map(),
    };
}
