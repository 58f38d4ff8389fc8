namespace DroneDelivery.Amqp;

/// <summary>The flow performative: updates the session's windows and, with a handle, the link's credit (AMQP 1.0
/// §2.7.4).</summary>
internal struct Flow : IComposite
{
    public const ulong Code = 0x13;

    public uint? NextIncomingId;
    public uint IncomingWindow;
    public uint NextOutgoingId;
    public uint OutgoingWindow;
    public uint? Handle;
    public uint? DeliveryCount;
    public uint? LinkCredit;
    public uint? Available;
    public bool Drain;
    public bool Echo;

    public readonly void Write(AmqpWriter writer) =>
        writer.WriteFields(
            Code,
            NextIncomingId,
            IncomingWindow,
            NextOutgoingId,
            OutgoingWindow,
            Handle,
            DeliveryCount,
            LinkCredit,
            Available,
            Drain,
            Echo,
            null
        );

    public static Flow Read(ref FieldReader fields) =>
        new()
        {
            NextIncomingId = fields.UInt(),
            IncomingWindow = fields.UInt("flow.incoming-window"),
            NextOutgoingId = fields.UInt("flow.next-outgoing-id"),
            OutgoingWindow = fields.UInt("flow.outgoing-window"),
            Handle = fields.UInt(),
            DeliveryCount = fields.UInt(),
            LinkCredit = fields.UInt(),
            Available = fields.UInt(),
            Drain = fields.Boolean() ?? false,
            Echo = fields.Boolean() ?? false,
        };
}
