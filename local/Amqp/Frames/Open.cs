namespace DroneDelivery.Amqp;

/// <summary>The open performative, which negotiates the parameters of a connection (AMQP 1.0 §2.7.1), without locales,
/// capabilities, and properties.</summary>
public sealed record Open : IComposite
{
    internal const ulong Code = 0x10;

    public string ContainerId { get; set; } = "";
    public string? HostName { get; set; }

    /// <summary>In bytes; <c>null</c> for no limit.</summary>
    public uint? MaxFrameSize { get; set; }
    public ushort? ChannelMax { get; set; }

    /// <summary>In milliseconds.</summary>
    public uint? IdleTimeout { get; set; }

    public void Write(AmqpWriter writer) =>
        writer.WriteFields(
            Code,
            ContainerId,
            HostName,
            MaxFrameSize,
            ChannelMax,
            IdleTimeout,
            null,
            null,
            null,
            null,
            null
        );

    internal static Open Read(ref FieldReader fields) =>
        new()
        {
            ContainerId = fields.String() ?? throw FieldReader.Missing("open.container-id"),
            HostName = fields.String(),
            MaxFrameSize = fields.UInt(),
            ChannelMax = fields.UShort(),
            IdleTimeout = fields.UInt(),
        };
}
