using System.Text;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>The distinct texts of one column of one chunk, as UTF-8 one after the other. Entry 0 is the empty text.</summary>
/// <param name="bytes">All texts; hexadecimal ones at two digits a byte when <paramref name="packed"/>.</param>
/// <param name="ends">Where each entry ends in <paramref name="bytes"/>.</param>
/// <param name="count">Entries that are valid: a pool that is still growing shares its arrays with earlier views of itself.</param>
/// <param name="packed">Whether every entry is stored as packed lower-case hexadecimal digits.</param>
internal sealed class TextPool(byte[] bytes, int[] ends, int count, bool packed)
{
    public int Count => count;

    public long SizeInBytes => bytes.Length + (ends.Length * (long)sizeof(int));

    /// <summary>The JSON of a dynamic entry: a slice, not a copy. JSON is never packed.</summary>
    public ReadOnlyMemory<byte> Utf8(int entry) => bytes.AsMemory(Start(entry)..ends[entry]);

    public string Text(int entry)
    {
        var slice = bytes.AsSpan(Start(entry)..ends[entry]);
        return packed ? Convert.ToHexStringLower(slice) : Encoding.UTF8.GetString(slice);
    }

    private int Start(int entry) => entry == 0 ? 0 : ends[entry - 1];
}

/// <summary>A pool seen as a column; texts become strings when they are asked for.</summary>
internal sealed class PooledText(ColumnType type, TextPool pool) : Column(type, pool.Count)
{
    private Column? _flat;

    public override bool IsNull(int row) => Type == ColumnType.Dynamic && Flatten().IsNull(row);

    public override Column Flatten() => _flat ??= Open(null, Length);

    public override Column Take(int[] rows) => _flat?.Take(rows) ?? Open(rows, rows.Length);

    private Column Open(int[]? entries, int length) =>
        Type == ColumnType.Dynamic ? OpenDynamic(entries, length) : OpenStrings(entries, length);

    private Values<string> OpenStrings(int[]? entries, int length)
    {
        var strings = new string[length];
        for (var i = 0; i < length; i++)
            strings[i] = pool.Text(entries is null ? i : entries[i]);
        return new(Type, strings, null, length);
    }

    private Values<Dynamic> OpenDynamic(int[]? entries, int length)
    {
        var values = new Dynamic[length];
        var nulls = new bool[length];
        for (var i = 0; i < length; i++)
        {
            values[i] = new(pool.Utf8(entries is null ? i : entries[i]));
            nulls[i] = values[i].IsNull;
        }
        return new(Type, values, nulls, length);
    }
}
