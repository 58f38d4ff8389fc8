namespace DroneDelivery.Amqp;

/// <summary>The disposition performative: a state change for a range of deliveries (AMQP 1.0 §2.7.6).</summary>
internal struct Disposition : IComposite
{
    public const ulong Code = 0x15;

    public LinkRole Role;
    public uint First;
    public uint Last;
    public bool Settled;
    public DeliveryState? State;

    public readonly void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteBoolean(Role == LinkRole.Receiver);
        writer.WriteUInt(First);
        writer.WriteUInt(Last);
        writer.WriteBoolean(Settled);
        writer.WriteState(State);
        writer.WriteBoolean(false);
        writer.EndList(fields, 6);
    }

    public static Disposition Read(ref FieldReader fields)
    {
        var disposition = new Disposition
        {
            Role = fields.Role("disposition.role"),
            First = fields.UInt("disposition.first"),
        };
        disposition.Last = fields.UInt() ?? disposition.First;
        disposition.Settled = fields.Boolean() ?? false;
        disposition.State = fields.State();
        return disposition;
    }
}
