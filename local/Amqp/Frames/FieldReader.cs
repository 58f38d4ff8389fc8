namespace DroneDelivery.Amqp;

internal delegate T ReadFields<out T>(ulong descriptor, ref FieldReader fields);

/// <summary>Reads the fields of a described list in order. Omitted trailing fields are <c>null</c> (AMQP 1.0
/// §1.4).</summary>
internal ref struct FieldReader
{
    // Decoded, a value of one byte takes up to forty bytes.
    private const int MaxValues = 4096;

    private AmqpReader _reader;
    private readonly int _end;
    private int _left;

    public FieldReader(ReadOnlySpan<byte> encoded, out ulong descriptor)
    {
        _reader = new AmqpReader(encoded, MaxValues);
        descriptor = _reader.ReadDescriptor();
        _left = _reader.ReadListHead(out _end);
    }

    /// <summary>Skips the remaining fields and returns the offset after the list.</summary>
    public int End()
    {
        Skip(_left);
        _reader.ExpectEnd(_end);
        return _end;
    }

    public void Skip(int fields)
    {
        for (; fields > 0 && _left > 0; fields--, _left--)
            _reader.Skip();
    }

    public bool? Boolean() => Next() ? _reader.ReadBoolean() : null;

    public byte? UByte() => Next() ? _reader.ReadUByte() : null;

    public ushort? UShort() => Next() ? _reader.ReadUShort() : null;

    public uint? UInt() => Next() ? _reader.ReadUInt() : null;

    public uint UInt(string field) => UInt() ?? throw Missing(field);

    public ulong? ULong() => Next() ? _reader.ReadULong() : null;

    public DateTimeOffset? Timestamp() => Next() ? _reader.ReadTimestamp() : null;

    public string? String() => Next() ? _reader.ReadString() : null;

    public Symbol? Symbol() => Next() ? _reader.ReadSymbol() : default(Symbol?);

    public ReadOnlySpan<byte> BinarySpan() => Next() ? _reader.ReadBinary() : default;

    public byte[]? Binary() => Next() ? _reader.ReadBinary().ToArray() : null;

    public object? Value() => Next() ? _reader.ReadValue() : null;

    public Dictionary<Symbol, object?>? Map() => Next() ? _reader.ReadSymbolMap() : null;

    public AmqpError? Error() => Composite(AmqpError.Read);

    public LinkRole Role(string field) => (Boolean() ?? throw Missing(field)) ? LinkRole.Receiver : LinkRole.Sender;

    public DeliveryState? State() => Composite(DeliveryState.Read);

    public T? Composite<T>(ReadFields<T> read)
        where T : class
    {
        if (!Next())
            return null;
        var fields = new FieldReader(_reader.ReadEncoded(), out var descriptor);
        var value = read(descriptor, ref fields);
        fields.End();
        return value;
    }

    public Symbol[]? Symbols() =>
        Value() switch
        {
            null => null,
            Symbol one => [one],
            Symbol[] many => many,
            object[] { Length: 0 } => [],
            _ => throw new AmqpException(ErrorConditions.DecodeError, "expected symbols"),
        };

    public static AmqpException Missing(string field) => new(ErrorConditions.DecodeError, $"{field} is mandatory");

    private bool Next()
    {
        if (_left == 0)
            return false;
        _left--;
        return !_reader.TryReadNull();
    }
}
