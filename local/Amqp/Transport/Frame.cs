using System.Buffers.Binary;

namespace DroneDelivery.Amqp;

/// <summary>A frame as it lies in the read buffer: eight bytes of head, then the body (AMQP 1.0 §2.3).</summary>
internal readonly ref struct Frame(byte type, ushort channel, ReadOnlySpan<byte> body)
{
    public const int HeadSize = 8;
    public const byte AmqpType = 0;
    public const byte SaslType = 1;

    /// <summary>Every peer accepts frames of this size (AMQP 1.0 §2.7.1).</summary>
    public const uint MinMaxSize = 512;

    public byte Type { get; } = type;
    public ushort Channel { get; } = channel;
    public ReadOnlySpan<byte> Body { get; } = body;

    /// <summary>A frame without a body, which only shows that this end is alive (AMQP 1.0 §2.4.5).</summary>
    public static ReadOnlySpan<byte> Heartbeat => [0, 0, 0, HeadSize, 2, AmqpType, 0, 0];

    /// <summary>Writes all of it, or nothing when the body cannot be encoded.</summary>
    /// <exception cref="ArgumentException">a value without an AMQP type</exception>
    /// <exception cref="AmqpException">amqp:frame-size-too-small: more than the peer accepts in a frame, as its own words said again may
    /// be (the name of a link, an address)</exception>
    public static void Write<T>(AmqpWriter writer, byte type, ushort channel, in T body, int maxSize = int.MaxValue)
        where T : IComposite
    {
        var start = Begin(writer, type, channel);
        try
        {
            body.Write(writer);
            if (writer.Length - start > maxSize)
            {
                throw new AmqpException(
                    ErrorConditions.FrameSizeTooSmall,
                    $"{typeof(T).Name} takes {writer.Length - start} bytes; the peer's frames have {maxSize}."
                );
            }
        }
        catch
        {
            writer.Truncate(start);
            throw;
        }
        End(writer, start);
    }

    public static int Begin(AmqpWriter writer, byte type, ushort channel)
    {
        var start = writer.Length;
        var head = writer.Reserve(HeadSize);
        head[4] = HeadSize / 4;
        head[5] = type;
        BinaryPrimitives.WriteUInt16BigEndian(head[6..], channel);
        return start;
    }

    public static void End(AmqpWriter writer, int start) =>
        BinaryPrimitives.WriteInt32BigEndian(writer.Written(start, 4), writer.Length - start);
}
