using System.Buffers.Binary;
using System.Text;
using System.Text.Unicode;

namespace DroneDelivery.Amqp;

/// <summary>Reads encoded AMQP values (AMQP 1.0 §1.2 – §1.6). Throws an <see cref="AmqpException"/> (amqp:decode-error)
/// if the bytes aren't a value of the requested type. Checks lengths before it allocates memory.</summary>
public ref partial struct AmqpReader
{
    // Each nesting level costs the peer one byte, but a stack frame here.
    private const int MaxDepth = 64;

    private readonly ReadOnlySpan<byte> _encoded;
    private int _depth;
    private int _zeroWidthBudget;
    private int _valueBudget = int.MaxValue;

    public AmqpReader(ReadOnlySpan<byte> encoded)
    {
        _encoded = encoded;
        _zeroWidthBudget = encoded.Length;
    }

    /// <param name="maxValues">The maximum number of values of unknown type. Decoded, a value of one byte takes dozens
    /// of bytes.</param>
    internal AmqpReader(ReadOnlySpan<byte> encoded, int maxValues)
        : this(encoded) => _valueBudget = maxValues;

    public int Position { get; private set; }

    public readonly bool IsAtEnd => Position == _encoded.Length;

    private readonly int Left => _encoded.Length - Position;

    public bool TryReadNull()
    {
        if (IsAtEnd || _encoded[Position] != FormatCode.Null)
            return false;
        Position++;
        return true;
    }

    public bool ReadBoolean() => ReadBoolean(TakeByte());

    public byte ReadUByte() => ReadUByte(TakeByte());

    public ushort ReadUShort() => ReadUShort(TakeByte());

    public uint ReadUInt() => ReadUInt(TakeByte());

    public ulong ReadULong() => ReadULong(TakeByte());

    public long ReadLong() => ReadLong(TakeByte());

    public DateTimeOffset ReadTimestamp() => ReadTimestamp(TakeByte());

    public ReadOnlySpan<byte> ReadBinary() => ReadBinary(TakeByte());

    public string ReadString() => ReadString(TakeByte());

    /// <summary>Reads a string as validated UTF-8 bytes.</summary>
    public ReadOnlySpan<byte> ReadUtf8() => ReadUtf8(TakeByte());

    public Symbol ReadSymbol() => ReadSymbol(TakeByte());

    /// <summary>Reads a descriptor. Converts known symbolic descriptors to numeric ones; returns 0 for unknown
    /// ones.</summary>
    public ulong ReadDescriptor()
    {
        if (TakeByte() != FormatCode.Described)
            throw Malformed("expected a described value");
        var code = TakeByte();
        return code is FormatCode.Symbol8 or FormatCode.Symbol32
            ? CompositeTypes.Number(ReadSymbol(code))
            : ReadULong(code);
    }

    public int ReadListHead() => ReadListHead(out _);

    internal int ReadListHead(out int end) => ReadListHead(TakeByte(), out end);

    /// <summary>Reads the header of a map and returns the number of values, two per entry.</summary>
    public int ReadMapHead() => ReadMapHead(TakeByte(), out _);

    public ReadOnlySpan<byte> ReadEncoded()
    {
        var start = Position;
        Skip();
        return _encoded[start..Position];
    }

    public void Skip()
    {
        var code = TakeByte();
        if (code != FormatCode.Described)
        {
            SkipContent(code);
            return;
        }
        Descend();
        Skip();
        Skip();
        _depth--;
    }

    private void SkipContent(byte code)
    {
        var width = (code >> 4) switch
        {
            0xa or 0xc or 0xe => TakeByte(),
            0xb or 0xd or 0xf => TakeLength(),
            _ => FormatCode.MinWidth(code),
        };
        if (width < 0)
            throw Unknown(code);
        Take(width);
    }

    private bool ReadBoolean(byte code) =>
        code switch
        {
            FormatCode.True => true,
            FormatCode.False => false,
            FormatCode.Boolean => TakeByte() switch
            {
                0 => false,
                1 => true,
                _ => throw Malformed("a boolean must be 0 or 1"),
            },
            _ => throw Unexpected(code, "boolean"),
        };

    private byte ReadUByte(byte code) => code == FormatCode.UByte ? TakeByte() : throw Unexpected(code, "ubyte");

    private ushort ReadUShort(byte code) =>
        code == FormatCode.UShort ? BinaryPrimitives.ReadUInt16BigEndian(Take(2)) : throw Unexpected(code, "ushort");

    private uint ReadUInt(byte code) =>
        code switch
        {
            FormatCode.UInt0 => 0,
            FormatCode.SmallUInt => TakeByte(),
            FormatCode.UInt => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => throw Unexpected(code, "uint"),
        };

    private ulong ReadULong(byte code) =>
        code switch
        {
            FormatCode.ULong0 => 0,
            FormatCode.SmallULong => TakeByte(),
            FormatCode.ULong => BinaryPrimitives.ReadUInt64BigEndian(Take(8)),
            _ => throw Unexpected(code, "ulong"),
        };

    private int ReadInt(byte code) =>
        code switch
        {
            FormatCode.SmallInt => (sbyte)TakeByte(),
            FormatCode.Int => BinaryPrimitives.ReadInt32BigEndian(Take(4)),
            _ => throw Unexpected(code, "int"),
        };

    private long ReadLong(byte code) =>
        code switch
        {
            FormatCode.SmallLong => (sbyte)TakeByte(),
            FormatCode.Long => BinaryPrimitives.ReadInt64BigEndian(Take(8)),
            _ => throw Unexpected(code, "long"),
        };

    private DateTimeOffset ReadTimestamp(byte code)
    {
        if (code != FormatCode.Timestamp)
            throw Unexpected(code, "timestamp");
        // Peers use out-of-range timestamps for "never"; clamp them.
        var milliseconds = BinaryPrimitives.ReadInt64BigEndian(Take(8));
        return DateTimeOffset.FromUnixTimeMilliseconds(
            Math.Clamp(
                milliseconds,
                DateTimeOffset.MinValue.ToUnixTimeMilliseconds(),
                DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
            )
        );
    }

    private Guid ReadUuid(byte code) =>
        code == FormatCode.Uuid ? new Guid(Take(16), bigEndian: true) : throw Unexpected(code, "uuid");

    private ReadOnlySpan<byte> ReadBinary(byte code) =>
        code switch
        {
            FormatCode.Binary8 => Take(TakeByte()),
            FormatCode.Binary32 => Take(TakeLength()),
            _ => throw Unexpected(code, "binary"),
        };

    private string ReadString(byte code) => Encoding.UTF8.GetString(ReadUtf8(code));

    private ReadOnlySpan<byte> ReadUtf8(byte code)
    {
        var utf8 = code switch
        {
            FormatCode.String8 => Take(TakeByte()),
            FormatCode.String32 => Take(TakeLength()),
            _ => throw Unexpected(code, "string"),
        };
        return Utf8.IsValid(utf8) ? utf8 : throw Malformed("a string is not UTF-8");
    }

    private Symbol ReadSymbol(byte code)
    {
        var ascii = code switch
        {
            FormatCode.Symbol8 => Take(TakeByte()),
            FormatCode.Symbol32 => Take(TakeLength()),
            _ => throw Unexpected(code, "symbol"),
        };
        return Ascii.IsValid(ascii)
            ? new Symbol(Encoding.ASCII.GetString(ascii))
            : throw Malformed("a symbol is not ASCII");
    }

    private int ReadListHead(byte code, out int end)
    {
        if (code == FormatCode.List0)
        {
            end = Position;
            return 0;
        }
        if (code is not (FormatCode.List8 or FormatCode.List32))
            throw Unexpected(code, "list");
        var count = ReadCompoundHead(code == FormatCode.List8, out end);
        return count <= end - Position ? count : throw Malformed("a list's count exceeds its size");
    }

    private int ReadMapHead(byte code, out int end)
    {
        if (code is not (FormatCode.Map8 or FormatCode.Map32))
            throw Unexpected(code, "map");
        var count = ReadCompoundHead(code == FormatCode.Map8, out end);
        if (count > end - Position)
            throw Malformed("a map's count exceeds its size");
        return count % 2 == 0 ? count : throw Malformed("a map has a key without a value");
    }

    private int ReadCompoundHead(bool narrow, out int end)
    {
        var size = narrow ? TakeByte() : TakeLength();
        if (size > Left)
            throw Truncated();
        end = Position + size;
        var count = narrow ? TakeByte() : TakeLength();
        return Position <= end ? count : throw Malformed("a size does not cover the count");
    }

    internal readonly void ExpectEnd(int end)
    {
        if (Position != end)
            throw Malformed("a size does not match its content");
    }

    private void Descend()
    {
        if (++_depth > MaxDepth)
            throw Malformed($"more than {MaxDepth} levels of nesting");
    }

    private byte TakeByte() => IsAtEnd ? throw Truncated() : _encoded[Position++];

    private int TakeLength()
    {
        var length = BinaryPrimitives.ReadUInt32BigEndian(Take(4));
        return length <= int.MaxValue ? (int)length : throw Truncated();
    }

    private ReadOnlySpan<byte> Take(int length)
    {
        if (length > Left)
            throw Truncated();
        var taken = _encoded.Slice(Position, length);
        Position += length;
        return taken;
    }

    private static AmqpException Truncated() => Malformed("the value exceeds the data");

    private static AmqpException Unknown(byte code) => Malformed($"0x{code:x2} is not a valid constructor");

    private static AmqpException Unexpected(byte code, string type) =>
        Malformed($"expected {type}, found constructor 0x{code:x2}");

    private static AmqpException Malformed(string why) => new(ErrorConditions.DecodeError, why);
}
