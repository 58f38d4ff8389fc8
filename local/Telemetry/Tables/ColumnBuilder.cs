using System.Text;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>Builds a column of the open chunk. One thread appends; earlier views stay valid.</summary>
internal abstract class ColumnBuilder
{
    /// <param name="value">A bool, long (also ticks), double, string, dynamic as JSON, or <c>null</c>.</param>
    public abstract long Append(object? value);

    public abstract Column View();

    /// <summary>Returns the rows in compact form. The builder must not be used afterward.</summary>
    public abstract Column Seal();

    public static ColumnBuilder For(ColumnType type) =>
        type switch
        {
            ColumnType.Bool => new ValuesBuilder<bool>(type),
            ColumnType.Real => new ValuesBuilder<double>(type),
            ColumnType.String => new TextBuilder<string>(type, "", text => text),
            ColumnType.Dynamic => new TextBuilder<Dynamic>(type, default, new JsonBlocks().Add),
            _ => new ValuesBuilder<long>(type),
        };
}

internal sealed class ValuesBuilder<T>(ColumnType type) : ColumnBuilder
    where T : struct, IEquatable<T>
{
    private T[] _items = [];
    private bool[]? _nulls;
    private int _count;

    public override long Append(object? value)
    {
        if (_count == _items.Length)
        {
            Array.Resize(ref _items, Chunk.NextCapacity(_count));
            if (_nulls is not null)
                Array.Resize(ref _nulls, _items.Length);
        }
        if (value is T item)
            _items[_count] = item;
        else
            (_nulls ??= new bool[_items.Length])[_count] = true;
        _count++;
        return 0;
    }

    public override Column View() => new Values<T>(type, _items, _nulls, _count);

    public override Column Seal()
    {
        var same =
            _items.AsSpan(0, _count).IndexOfAnyExcept(_items[0]) < 0
            && (_nulls is null || _nulls.AsSpan(0, _count).IndexOfAnyExcept(_nulls[0]) < 0);
        var kept = same ? 1 : _count;
        return new Values<T>(type, _items[..kept], _nulls?[..kept], _count, constant: same);
    }
}

/// <summary>Stores each distinct string once, with a code for each row.</summary>
internal sealed class TextBuilder<T>(ColumnType type, T empty, Func<string, T> valueOf) : ColumnBuilder
{
    private const int BytesPerText = 24;

    private readonly Dictionary<string, int> _numbers = new() { [""] = 0 };
    private T[] _items = [empty];
    private bool[]? _nulls = type == ColumnType.Dynamic ? [true] : null;
    private int[] _codes = [];
    private int _count;

    public override long Append(object? value)
    {
        if (_count == _codes.Length)
            Array.Resize(ref _codes, Chunk.NextCapacity(_count));
        var text = (string?)value ?? "";
        var isNew = !_numbers.TryGetValue(text, out var number);
        if (isNew)
            number = Add(text);
        _codes[_count++] = number;
        return isNew ? BytesPerText + (text.Length * sizeof(char)) : 0;
    }

    private int Add(string text)
    {
        var number = _numbers.Count;
        _numbers[text] = number;
        if (number == _items.Length)
        {
            Array.Resize(ref _items, number * 2);
            if (_nulls is not null)
                Array.Resize(ref _nulls, number * 2);
        }
        _items[number] = valueOf(text);
        if (_nulls is not null)
            _nulls[number] = text == "null";
        return number;
    }

    public override Column View() => new Values<T>(type, _items, _nulls, _count, _codes, count: _numbers.Count);

    public override Column Seal()
    {
        var items = _items[.._numbers.Count];
        var nulls = _nulls?[.._numbers.Count];
        var whole = new Values<T>(type, items, nulls, _count, _codes[.._count]);
        return _codes.AsSpan(0, _count).IndexOfAnyExcept(_codes[0]) < 0 ? whole.Repeat(_count) : whole;
    }
}

internal sealed class JsonBlocks
{
    private const int Size = 1 << 14;

    private Memory<byte> _free;

    public Dynamic Add(string json)
    {
        var length = Encoding.UTF8.GetByteCount(json);
        if (length > _free.Length)
            _free = new byte[Math.Max(length, Size)];
        Encoding.UTF8.GetBytes(json, _free.Span);
        var copy = new Dynamic(_free[..length]);
        _free = _free[length..];
        return copy;
    }
}
