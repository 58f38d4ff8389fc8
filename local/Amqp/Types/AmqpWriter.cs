using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.Amqp;

/// <summary>Writes AMQP values into a growing, pooled buffer, with the smallest encoding for each (AMQP 1.0
/// §1.6).</summary>
public sealed partial class AmqpWriter(int capacity = 256) : IDisposable
{
    // The constructor, size, and count of a small compound value. A large one needs NarrowToWide more bytes.
    private const int NarrowHead = 3;
    private const int NarrowToWide = 6;

    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(capacity);

    public int Length { get; private set; }

    public static byte[] Encode(Action<AmqpWriter> write)
    {
        using var writer = new AmqpWriter();
        write(writer);
        return writer.WrittenSpan.ToArray();
    }

    internal int Capacity => _buffer.Length;

    public ReadOnlySpan<byte> WrittenSpan => _buffer.AsSpan(0, Length);

    /// <summary>Valid until the next write, <see cref="Clear"/>, or <see cref="Dispose"/>.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _buffer.AsMemory(0, Length);

    public void WriteNull() => Put(FormatCode.Null);

    public void WriteBoolean(bool? value) =>
        Put(
            value switch
            {
                null => FormatCode.Null,
                true => FormatCode.True,
                false => FormatCode.False,
            }
        );

    public void WriteUByte(byte? value)
    {
        if (value is { } given)
            Put(FormatCode.UByte, given);
        else
            WriteNull();
    }

    public void WriteUShort(ushort value) => PutUInt16(FormatCode.UShort, value);

    public void WriteUInt(uint? value)
    {
        if (value is not { } given)
            WriteNull();
        else if (given == 0)
            Put(FormatCode.UInt0);
        else if (given <= byte.MaxValue)
            Put(FormatCode.SmallUInt, (byte)given);
        else
            PutUInt32(FormatCode.UInt, given);
    }

    public void WriteULong(ulong value)
    {
        if (value == 0)
            Put(FormatCode.ULong0);
        else if (value <= byte.MaxValue)
            Put(FormatCode.SmallULong, (byte)value);
        else
            PutUInt64(FormatCode.ULong, value);
    }

    public void WriteInt(int value)
    {
        if (value == (sbyte)value)
            Put(FormatCode.SmallInt, (byte)value);
        else
            PutUInt32(FormatCode.Int, (uint)value);
    }

    public void WriteLong(long value)
    {
        if (value == (sbyte)value)
            Put(FormatCode.SmallLong, (byte)value);
        else
            PutUInt64(FormatCode.Long, (ulong)value);
    }

    /// <summary>Writes a timestamp in milliseconds since 1970, rounded down.</summary>
    public void WriteTimestamp(DateTimeOffset value) =>
        PutUInt64(FormatCode.Timestamp, (ulong)value.ToUnixTimeMilliseconds());

    public void WriteUuid(Guid value)
    {
        Put(FormatCode.Uuid);
        PutUuid(value);
    }

    public void WriteBinary(ReadOnlySpan<byte> value)
    {
        PutVariableHead(FormatCode.Binary8, value.Length);
        WriteRaw(value);
    }

    public void WriteString(string? value)
    {
        if (value is null)
        {
            WriteNull();
            return;
        }
        var length = Encoding.UTF8.GetByteCount(value);
        PutVariableHead(FormatCode.String8, length);
        Encoding.UTF8.GetBytes(value, Reserve(length));
    }

    public void WriteSymbol(Symbol value)
    {
        PutVariableHead(FormatCode.Symbol8, value.Value.Length);
        PutAscii(value.Value);
    }

    public void WriteDescriptor(ulong descriptor)
    {
        Put(FormatCode.Described);
        WriteULong(descriptor);
    }

    /// <summary>Starts a list. Pass the result to <see cref="EndList"/> with the number of values written in
    /// between.</summary>
    public int BeginList() => BeginCompound();

    public void EndList(int start, int count)
    {
        if (count > 0)
        {
            EndCompound(start, count, FormatCode.List8);
            return;
        }
        Length = start;
        Put(FormatCode.List0);
    }

    /// <summary>Starts a map. Pass the result to <see cref="EndMap"/> with the number of values (two per entry) written
    /// in between.</summary>
    public int BeginMap() => BeginCompound();

    public void EndMap(int start, int count) => EndCompound(start, count, FormatCode.Map8);

    public void WriteRaw(ReadOnlySpan<byte> encoded) => encoded.CopyTo(Reserve(encoded.Length));

    public void Clear() => Length = 0;

    /// <summary>Returns the buffer to the pool. A later write gets another one.</summary>
    public void Dispose()
    {
        var buffer = _buffer;
        _buffer = [];
        Length = 0;
        if (buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(buffer);
    }

    public Span<byte> Reserve(int count)
    {
        Ensure(count);
        var room = _buffer.AsSpan(Length, count);
        Length += count;
        return room;
    }

    internal Span<byte> Written(int start, int count) => _buffer.AsSpan(start, count);

    internal void Truncate(int length) => Length = length;

    private void Ensure(int count)
    {
        if (_buffer.Length - Length >= count)
            return;
        var larger = ArrayPool<byte>.Shared.Rent(Math.Max(capacity, Math.Max(checked(Length + count), 2 * Length)));
        WrittenSpan.CopyTo(larger);
        if (_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }

    private int BeginCompound()
    {
        var start = Length;
        Reserve(NarrowHead);
        return start;
    }

    // The space for a small header is reserved. A large value is moved to make room for its header.
    private void EndCompound(int start, int count, byte narrowCode)
    {
        var content = Length - start - NarrowHead;
        if (content < byte.MaxValue && count <= byte.MaxValue)
        {
            var head = Written(start, NarrowHead);
            head[0] = narrowCode;
            head[1] = (byte)(content + 1);
            head[2] = (byte)count;
            return;
        }
        Reserve(NarrowToWide);
        Written(start + NarrowHead, content).CopyTo(Written(start + NarrowHead + NarrowToWide, content));
        var wide = Written(start, NarrowHead + NarrowToWide);
        wide[0] = (byte)(narrowCode + 0x10);
        BinaryPrimitives.WriteInt32BigEndian(wide[1..], content + 4);
        BinaryPrimitives.WriteInt32BigEndian(wide[5..], count);
    }

    private void PutVariableHead(byte narrowCode, int length)
    {
        if (length <= byte.MaxValue)
            Put(narrowCode, (byte)length);
        else
            PutUInt32((byte)(narrowCode + 0x10), (uint)length);
    }

    private void PutAscii(string value)
    {
        if (!Ascii.IsValid(value))
            throw new ArgumentException($"The symbol '{value}' contains characters other than ASCII.", nameof(value));
        Encoding.ASCII.GetBytes(value, Reserve(value.Length));
    }

    private void Put(byte value)
    {
        Ensure(1);
        _buffer[Length++] = value;
    }

    private void Put(byte code, byte value)
    {
        var room = Reserve(2);
        room[0] = code;
        room[1] = value;
    }

    private void PutUInt16(byte code, ushort value)
    {
        Put(code);
        BinaryPrimitives.WriteUInt16BigEndian(Reserve(2), value);
    }

    private void PutUInt32(uint value) => BinaryPrimitives.WriteUInt32BigEndian(Reserve(4), value);

    private void PutUInt32(byte code, uint value)
    {
        var room = Reserve(5);
        room[0] = code;
        BinaryPrimitives.WriteUInt32BigEndian(room[1..], value);
    }

    private void PutUInt64(ulong value) => BinaryPrimitives.WriteUInt64BigEndian(Reserve(8), value);

    private void PutUInt64(byte code, ulong value)
    {
        Put(code);
        PutUInt64(value);
    }

    private void PutUuid(Guid value) => value.TryWriteBytes(Reserve(16), bigEndian: true, out _);
}
