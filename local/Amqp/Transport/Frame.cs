using System.Buffers.Binary;

namespace DroneDelivery.Amqp;

/// <summary>A frame in the read buffer: a header of eight bytes and the body (AMQP 1.0 §2.3).</summary>
internal readonly ref struct Frame(byte type, ushort channel, ReadOnlySpan<byte> body)
{
    public const int HeadSize = 8;
    public const byte AmqpType = 0;
    public const byte SaslType = 1;

    /// <summary>The frame size that every peer accepts (AMQP 1.0 §2.7.1).</summary>
    public const uint MinMaxSize = 512;

    public byte Type { get; } = type;
    public ushort Channel { get; } = channel;
    public ReadOnlySpan<byte> Body { get; } = body;

    /// <summary>An empty frame, which keeps the connection alive (AMQP 1.0 §2.4.5).</summary>
    public static ReadOnlySpan<byte> Heartbeat => [0, 0, 0, HeadSize, 2, AmqpType, 0, 0];

    /// <summary>Writes a frame, or nothing if the body can't be encoded.</summary>
    /// <exception cref="AmqpException">The frame exceeds the peer's maximum size
    /// (amqp:frame-size-too-small).</exception>
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
                    $"{typeof(T).Name} has {writer.Length - start} bytes, but the peer accepts only {maxSize} per frame."
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
