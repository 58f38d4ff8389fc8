namespace DroneDelivery.Amqp;

/// <summary>The begin performative (AMQP 1.0 §2.7.2), without capabilities and properties.</summary>
internal sealed record Begin(
    ushort? RemoteChannel,
    uint NextOutgoingId,
    uint IncomingWindow,
    uint OutgoingWindow,
    uint? HandleMax
) : IComposite
{
    internal const ulong Code = 0x11;

    public void Write(AmqpWriter writer) =>
        writer.WriteFields(
            Code,
            RemoteChannel,
            NextOutgoingId,
            IncomingWindow,
            OutgoingWindow,
            HandleMax,
            null,
            null,
            null
        );

    internal static Begin Read(ref FieldReader fields) =>
        new(
            fields.UShort(),
            fields.UInt("begin.next-outgoing-id"),
            fields.UInt("begin.incoming-window"),
            fields.UInt("begin.outgoing-window"),
            fields.UInt()
        );
}
