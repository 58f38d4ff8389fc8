using System.Buffers;
using System.Buffers.Binary;

namespace DroneDelivery.Amqp;

/// <summary>Splits received bytes into frames. Allocates nothing until a frame is complete.</summary>
internal sealed class FrameParser(uint maxFrameSize) : IDisposable
{
    private byte[] _scratch = [];

    /// <summary>Removes the next complete frame from the buffer. It's valid until the next call.</summary>
    public bool TryRead(ref ReadOnlySequence<byte> buffer, out Frame frame)
    {
        frame = default;
        if (buffer.Length < Frame.HeadSize)
            return false;
        var size = ReadSize(buffer);
        if (size < Frame.HeadSize || size > maxFrameSize)
            throw Malformed($"invalid frame size {size}; expected {Frame.HeadSize} to {maxFrameSize}");
        if (buffer.Length < size)
            return false;
        var bytes = Contiguous(buffer, (int)size);
        buffer = buffer.Slice(size);
        var offset = bytes[4] * 4;
        if (offset < Frame.HeadSize || offset > size)
            throw Malformed($"invalid data offset {offset} in a frame of {size} bytes");
        frame = new Frame(bytes[5], BinaryPrimitives.ReadUInt16BigEndian(bytes[6..]), bytes[offset..]);
        return true;
    }

    public void Dispose() => Release();

    public void Release()
    {
        if (_scratch.Length > 0)
            ArrayPool<byte>.Shared.Return(_scratch);
        _scratch = [];
    }

    private static uint ReadSize(in ReadOnlySequence<byte> buffer)
    {
        if (buffer.FirstSpan.Length >= sizeof(uint))
            return BinaryPrimitives.ReadUInt32BigEndian(buffer.FirstSpan);
        Span<byte> size = stackalloc byte[sizeof(uint)];
        buffer.Slice(0, sizeof(uint)).CopyTo(size);
        return BinaryPrimitives.ReadUInt32BigEndian(size);
    }

    private ReadOnlySpan<byte> Contiguous(in ReadOnlySequence<byte> buffer, int size)
    {
        if (buffer.FirstSpan.Length >= size)
            return buffer.FirstSpan[..size];
        if (_scratch.Length < size)
        {
            Release();
            _scratch = ArrayPool<byte>.Shared.Rent(size);
        }
        buffer.Slice(0, size).CopyTo(_scratch);
        return _scratch.AsSpan(0, size);
    }

    private static AmqpException Malformed(string why) => new(ErrorConditions.FramingError, why);
}
