using System.Buffers;

namespace DroneDelivery.Amqp;

/// <summary>Writes AMQP values into a pooled buffer that grows; the smallest encoding of each value is chosen (AMQP 1.0 §1.6).</summary>
public sealed class AmqpWriter(int capacity = 256) : IBufferWriter<byte>, IDisposable
{
    private readonly byte[] _buffer = ArrayPool<byte>.Shared.Rent(capacity);

    public int Length { get; private set; }

    public ReadOnlySpan<byte> WrittenSpan => _buffer.AsSpan(0, Length);
    /// <summary>Valid until the next write, <see cref="Clear"/> or <see cref="Dispose"/>.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _buffer.AsMemory(0, Length);

    public void WriteNull() => throw new NotImplementedException();
    public void WriteBoolean(bool value) => throw new NotImplementedException();
    public void WriteUByte(byte value) => throw new NotImplementedException();
    public void WriteUShort(ushort value) => throw new NotImplementedException();
    public void WriteUInt(uint value) => throw new NotImplementedException();
    public void WriteULong(ulong value) => throw new NotImplementedException();
    public void WriteByte(sbyte value) => throw new NotImplementedException();
    public void WriteShort(short value) => throw new NotImplementedException();
    public void WriteInt(int value) => throw new NotImplementedException();
    public void WriteLong(long value) => throw new NotImplementedException();
    public void WriteFloat(float value) => throw new NotImplementedException();
    public void WriteDouble(double value) => throw new NotImplementedException();
    public void WriteTimestamp(DateTimeOffset value) => throw new NotImplementedException();
    public void WriteUuid(Guid value) => throw new NotImplementedException();
    public void WriteBinary(ReadOnlySpan<byte> value) => throw new NotImplementedException();
    public void WriteString(string? value) => throw new NotImplementedException();
    public void WriteSymbol(Symbol value) => throw new NotImplementedException();
    /// <summary>The descriptor of the value that is written next.</summary>
    public void WriteDescriptor(ulong descriptor) => throw new NotImplementedException();
    /// <summary>Starts a list; the answer goes to <see cref="EndList"/> with the number of values written between.</summary>
    public int BeginList() => throw new NotImplementedException();
    public void EndList(int start, int count) => throw new NotImplementedException();
    /// <summary>Starts a map; the answer goes to <see cref="EndMap"/> with the number of values (two for each entry) written between.</summary>
    public int BeginMap() => throw new NotImplementedException();
    public void EndMap(int start, int count) => throw new NotImplementedException();
    /// <summary>Any value of the .NET types that stand for AMQP's.</summary>
    /// <exception cref="ArgumentException">no AMQP type stands for the value's type</exception>
    public void WriteValue(object? value) => throw new NotImplementedException();
    /// <summary>Bytes that are encoded already.</summary>
    public void WriteRaw(ReadOnlySpan<byte> encoded) => throw new NotImplementedException();

    public void Clear() => Length = 0;

    public void Advance(int count) => throw new NotImplementedException();
    public Memory<byte> GetMemory(int sizeHint = 0) => throw new NotImplementedException();
    public Span<byte> GetSpan(int sizeHint = 0) => throw new NotImplementedException();

    public void Dispose() => throw new NotImplementedException();
}
