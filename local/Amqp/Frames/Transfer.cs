namespace DroneDelivery.Amqp;

/// <summary>The transfer performative, followed by all or part of a message (AMQP 1.0 §2.7.5). A view of the frame that
/// allocates nothing.</summary>
internal ref struct Transfer
{
    public const ulong Code = 0x14;
    public const int MaxTagLength = 32;

    public uint Handle;
    public uint? DeliveryId;
    public ReadOnlySpan<byte> DeliveryTag;
    public uint? MessageFormat;
    public bool? Settled;
    public bool More;
    public DeliveryState? State;
    public bool Aborted;

    public readonly void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteUInt(Handle);
        writer.WriteUInt(DeliveryId);
        if (DeliveryId is null)
            writer.WriteNull();
        else
            writer.WriteBinary(DeliveryTag);
        writer.WriteUInt(MessageFormat);
        writer.WriteBoolean(Settled);
        writer.WriteBoolean(More);
        writer.WriteNull();
        writer.WriteState(State);
        writer.WriteBoolean(false);
        writer.WriteBoolean(Aborted);
        writer.WriteBoolean(false);
        writer.EndList(fields, 11);
    }

    public static Transfer Read(ref FieldReader fields)
    {
        var transfer = new Transfer
        {
            Handle = fields.UInt("transfer.handle"),
            DeliveryId = fields.UInt(),
            DeliveryTag = fields.BinarySpan(),
            MessageFormat = fields.UInt(),
            Settled = fields.Boolean(),
            More = fields.Boolean() ?? false,
        };
        fields.UByte();
        transfer.State = fields.State();
        fields.Boolean();
        transfer.Aborted = fields.Boolean() ?? false;
        if (transfer.DeliveryTag.Length > MaxTagLength)
        {
            throw new AmqpException(ErrorConditions.DecodeError, $"transfer.delivery-tag exceeds {MaxTagLength} bytes");
        }

        return transfer;
    }
}
