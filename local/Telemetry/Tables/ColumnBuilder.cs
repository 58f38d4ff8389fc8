using System.Runtime.CompilerServices;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>A column of the chunk that is being filled. One thread appends; views taken before stay valid, because what they can see is
/// never written again.</summary>
internal abstract class ColumnBuilder
{
    public int Count { get; protected set; }

    public abstract void AppendNull();

    public void DropLast() => Count--;

    /// <summary>The rows so far, sharing memory with this builder.</summary>
    public abstract StoredColumn View();

    /// <summary>The rows in their smallest form; the builder is not used afterwards.</summary>
    public abstract StoredColumn Seal();

    /// <param name="firstRow">Number of the chunk's first row in its table.</param>
    public static ColumnBuilder For(ColumnSchema column, long firstRow) =>
        column.Type switch
        {
            _ when column.Name == KnownTables.ItemId => new RowNumbersBuilder(firstRow),
            ColumnType.Bool => new ValuesBuilder<bool>(column.Type),
            ColumnType.Real => new ValuesBuilder<double>(column.Type),
            ColumnType.String or ColumnType.Dynamic => new TextBuilder(column.Type),
            _ => new ValuesBuilder<long>(column.Type),
        };
}

internal sealed class ValuesBuilder<T>(ColumnType type) : ColumnBuilder
    where T : struct, IEquatable<T>
{
    private T[] _items = [];
    private bool[]? _nulls;

    /// <summary>The newest; there has to be one.</summary>
    public T Last => _items[Count - 1];

    public void Append(T value)
    {
        if (Count == _items.Length)
            Grow();
        if (_nulls is not null)
            _nulls[Count] = false; // after a dropped row
        _items[Count++] = value;
    }

    public override void AppendNull()
    {
        Append(default);
        _nulls ??= new bool[_items.Length];
        _nulls[Count - 1] = true;
    }

    public override StoredColumn View() => new StoredValues<T>(new(type, _items, _nulls, Count), 0);

    public override StoredColumn Seal()
    {
        var same =
            _items.AsSpan(0, Count).IndexOfAnyExcept(_items[0]) < 0
            && (_nulls is null || _nulls.AsSpan(0, Count).IndexOfAnyExcept(_nulls[0]) < 0);
        var kept = same ? 1 : Count;
        var nulls = _nulls?[..kept];
        var size = (long)kept * (Unsafe.SizeOf<T>() + (nulls is null ? 0 : sizeof(bool)));
        return new StoredValues<T>(new(type, _items[..kept], nulls, Count, constant: same), size);
    }

    private void Grow()
    {
        var capacity = Math.Min(Math.Max(256, _items.Length * 2), Chunk.Capacity);
        Array.Resize(ref _items, capacity);
        if (_nulls is not null)
            Array.Resize(ref _nulls, capacity);
    }
}
