using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// What goes in one transfer: a single message as it is, or several in the Service Bus batch format, where each data section holds one
/// whole encoded message and the envelope repeats the first one's routing.
/// </summary>
internal static class MessageBatchEnvelope
{
    public const uint SingleFormat = 0;
    public const uint BatchFormat = 0x80013700;

    /// <summary>Bytes of a data section around its content: descriptor and a length of one or of four bytes.</summary>
    public static int SectionOverhead(int length) => length <= byte.MaxValue ? 5 : 8;

    /// <param name="encoded">The messages, encoded one by one; at least one.</param>
    /// <param name="first">The first of them.</param>
    public static (byte[] Bytes, uint Format) Of(IReadOnlyList<byte[]> encoded, ServiceBusMessage first) => encoded is [var only]
        ? (only, SingleFormat)
        : (Envelope(first, [.. encoded.Select(bytes => new ReadOnlyMemory<byte>(bytes))]), BatchFormat);

    /// <summary>Bytes of the envelope alone.</summary>
    public static int SizeOf(ServiceBusMessage first) => Envelope(first, []).Length;

    private static byte[] Envelope(ServiceBusMessage first, List<ReadOnlyMemory<byte>> sections)
    {
        var envelope = new AmqpMessage
        {
            Properties = new MessageProperties { MessageId = first.MessageId, GroupId = first.SessionId },
            Data = sections,
        };
        if (first.PartitionKey is { } key)
            (envelope.MessageAnnotations ??= [])[Annotations.PartitionKey] = key;
        if (first.TransactionPartitionKey is { } viaKey)
            (envelope.MessageAnnotations ??= [])[Annotations.ViaPartitionKey] = viaKey;
        return envelope.ToArray();
    }
}
