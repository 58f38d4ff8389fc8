namespace DroneDelivery.Amqp;

/// <summary>Reads encoded AMQP values one after the other (AMQP 1.0 §1.2 – §1.6). Every read throws <see cref="AmqpException"/>
/// amqp:decode-error when the bytes are not a value of that type.</summary>
public ref struct AmqpReader(ReadOnlySpan<byte> encoded)
{
    private readonly ReadOnlySpan<byte> _encoded = encoded;

    /// <summary>Offset of the next byte.</summary>
    public int Position { get; private set; }

    public readonly bool IsAtEnd => Position == _encoded.Length;

    /// <summary>Consumes a null if the next value is one.</summary>
    public bool TryReadNull() => throw new NotImplementedException();
    public bool ReadBoolean() => throw new NotImplementedException();
    public byte ReadUByte() => throw new NotImplementedException();
    public ushort ReadUShort() => throw new NotImplementedException();
    public uint ReadUInt() => throw new NotImplementedException();
    public ulong ReadULong() => throw new NotImplementedException();
    public int ReadInt() => throw new NotImplementedException();
    public long ReadLong() => throw new NotImplementedException();
    public DateTimeOffset ReadTimestamp() => throw new NotImplementedException();
    public Guid ReadUuid() => throw new NotImplementedException();
    public ReadOnlySpan<byte> ReadBinary() => throw new NotImplementedException();
    public string ReadString() => throw new NotImplementedException();
    public Symbol ReadSymbol() => throw new NotImplementedException();
    /// <summary>A descriptor; symbolic ones of the specification are answered with their number.</summary>
    public ulong ReadDescriptor() => throw new NotImplementedException();
    /// <summary>The head of a list; that many values follow.</summary>
    public int ReadListHead() => throw new NotImplementedException();
    /// <summary>The head of a map; that many values (two for each entry) follow.</summary>
    public int ReadMapHead() => throw new NotImplementedException();
    /// <summary>Any value, in the .NET type that stands for it.</summary>
    public object? ReadValue() => throw new NotImplementedException();
    public void Skip() => throw new NotImplementedException();
}
