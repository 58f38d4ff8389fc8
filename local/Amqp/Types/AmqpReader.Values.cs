using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.Amqp;

// Values of any type, in annotations, properties, and bodies.
public ref partial struct AmqpReader
{
    public object? ReadValue() => ReadValue(TakeByte());

    private object? ReadValue(byte code)
    {
        if (--_valueBudget < 0)
            throw new AmqpException(ErrorConditions.ResourceLimitExceeded, "too many values in a frame");
        switch (code)
        {
            case FormatCode.Null:
                return null;
            case FormatCode.True or FormatCode.False or FormatCode.Boolean:
                return ReadBoolean(code);
            case FormatCode.UByte:
                return ReadUByte(code);
            case FormatCode.UShort:
                return ReadUShort(code);
            case FormatCode.UInt0 or FormatCode.SmallUInt or FormatCode.UInt:
                return ReadUInt(code);
            case FormatCode.ULong0 or FormatCode.SmallULong or FormatCode.ULong:
                return ReadULong(code);
            case FormatCode.Byte:
                return (sbyte)TakeByte();
            case FormatCode.Short:
                return BinaryPrimitives.ReadInt16BigEndian(Take(2));
            case FormatCode.SmallInt or FormatCode.Int:
                return ReadInt(code);
            case FormatCode.SmallLong or FormatCode.Long:
                return ReadLong(code);
            case FormatCode.Float:
                return BinaryPrimitives.ReadSingleBigEndian(Take(4));
            case FormatCode.Double:
                return BinaryPrimitives.ReadDoubleBigEndian(Take(8));
            case FormatCode.Decimal32:
                return new Decimal32(BinaryPrimitives.ReadUInt32BigEndian(Take(4)));
            case FormatCode.Decimal64:
                return new Decimal64(BinaryPrimitives.ReadUInt64BigEndian(Take(8)));
            case FormatCode.Decimal128:
                return new Decimal128(BinaryPrimitives.ReadUInt128BigEndian(Take(16)));
            case FormatCode.Char:
                return ReadChar();
            case FormatCode.Timestamp:
                return ReadTimestamp(code);
            case FormatCode.Uuid:
                return ReadUuid(code);
            case FormatCode.Binary8 or FormatCode.Binary32:
                return ReadBinary(code).ToArray();
            case FormatCode.String8 or FormatCode.String32:
                return ReadString(code);
            case FormatCode.Symbol8 or FormatCode.Symbol32:
                return ReadSymbol(code);
            default:
                return ReadNested(code);
        }
    }

    private object ReadNested(byte code)
    {
        Descend();
        object value = code switch
        {
            FormatCode.Described => ReadDescribed(),
            FormatCode.List0 or FormatCode.List8 or FormatCode.List32 => ReadList(code),
            FormatCode.Map8 or FormatCode.Map32 => ReadMap(code, static (ref reader) =>
                reader.ReadValue() ?? throw Malformed("a map key is null")
            ),
            FormatCode.Array8 => ReadArray(narrow: true),
            FormatCode.Array32 => ReadArray(narrow: false),
            _ => throw Unknown(code),
        };
        _depth--;
        return value;
    }

    private Rune ReadChar()
    {
        var codePoint = BinaryPrimitives.ReadUInt32BigEndian(Take(4));
        return Rune.IsValid(codePoint)
            ? new Rune(codePoint)
            : throw Malformed($"0x{codePoint:x} is not a valid character");
    }

    private DescribedValue ReadDescribed()
    {
        var descriptor = ReadValue() ?? throw Malformed("a descriptor is null");
        return new DescribedValue(descriptor, ReadValue());
    }

    private List<object?> ReadList(byte code)
    {
        var count = ReadListHead(code, out var end);
        var list = new List<object?>(InitialCapacity(count));
        for (var i = 0; i < count; i++)
            list.Add(ReadValue());
        ExpectEnd(end);
        return list;
    }

    private delegate TKey ReadKey<out TKey>(ref AmqpReader reader);

    private Dictionary<TKey, object?> ReadMap<TKey>(byte code, ReadKey<TKey> readKey)
        where TKey : notnull
    {
        var count = ReadMapHead(code, out var end);
        var map = new Dictionary<TKey, object?>(InitialCapacity(count / 2));
        for (var i = 0; i < count; i += 2)
        {
            if (!map.TryAdd(readKey(ref this), ReadValue()))
                throw Malformed("a map contains a duplicate key");
        }
        ExpectEnd(end);
        return map;
    }

    /// <summary>Reads a map with symbols as keys. Accepts strings, because some clients send them.</summary>
    internal Dictionary<Symbol, object?> ReadSymbolMap() =>
        ReadMapOf(
            static (ref reader) =>
            {
                var code = reader.TakeByte();
                return code is FormatCode.String8 or FormatCode.String32
                    ? ToSymbol(reader.ReadString(code))
                    : reader.ReadSymbol(code);
            }
        );

    internal Dictionary<string, object?> ReadStringMap() => ReadMapOf(static (ref reader) => reader.ReadString());

    private Dictionary<TKey, object?> ReadMapOf<TKey>(ReadKey<TKey> readKey)
        where TKey : notnull
    {
        Descend();
        var map = ReadMap(TakeByte(), readKey);
        _depth--;
        return map;
    }

    private static Symbol ToSymbol(string text) =>
        Ascii.IsValid(text) ? text : throw Malformed("a symbol is not ASCII");

    private Array ReadArray(bool narrow)
    {
        var count = ReadCompoundHead(narrow, out var end);
        var items = ReadArrayItems(count, end);
        ExpectEnd(end);
        return items;
    }

    private Array ReadArrayItems(int count, int end)
    {
        var code = TakeByte();
        CheckItemCount(code, count, end);
        return code switch
        {
            FormatCode.SmallLong or FormatCode.Long => ReadItems<long>(code, count),
            FormatCode.Timestamp => ReadItems<DateTimeOffset>(code, count),
            FormatCode.Uuid => ReadItems<Guid>(code, count),
            FormatCode.String8 or FormatCode.String32 => ReadItems<string>(code, count),
            FormatCode.Symbol8 or FormatCode.Symbol32 => ReadItems<Symbol>(code, count),
            _ => ReadItems<object?>(code, count),
        };
    }

    private void CheckItemCount(byte code, int count, int end)
    {
        var width = FormatCode.MinWidth(code);
        if (width < 0)
            throw Unknown(code);
        if (width > 0 && (long)count * width > end - Position)
            throw Malformed("an array's count exceeds its size");
        // Items without content take no bytes. All such arrays together are limited to as many items as there are
        // bytes.
        if (width == 0 && (_zeroWidthBudget -= count) < 0)
            throw Malformed("too many array items without content");
    }

    private T[] ReadItems<T>(byte code, int count)
    {
        var items = new T[InitialCapacity(count)];
        for (var i = 0; i < count; i++)
        {
            if (i == items.Length)
                Array.Resize(ref items, i + Math.Min(i, count - i));
            items[i] = (T)ReadValue(code)!;
        }
        return items;
    }

    // Each nesting level can claim a count up to the remaining bytes.
    private static int InitialCapacity(int count) => Math.Min(count, 16);
}
