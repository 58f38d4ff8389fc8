namespace DroneDelivery.Telemetry.Tables;

/// <summary>Rows of one schema: full chunks and one that is being filled. Not thread-safe: the store holds the lock.</summary>
/// <param name="maxOpenBytes">Bytes of distinct texts after which a chunk counts as full.</param>
internal sealed class Table(TableSchema schema, long maxOpenBytes = Table.MaxOpenBytes)
{
    public const long MaxOpenBytes = 64 << 20;

    private readonly List<Chunk> _full = [];
    private readonly int _time = schema.IndexOf("timestamp");
    private ColumnBuilder[] _open = NewBuilders(schema, 0);
    private int _openRows;
    private long _openBytes;

    public TableSchema Schema => schema;

    public long Rows { get; private set; }

    /// <summary>The first full chunk; null as long as there is none.</summary>
    public Chunk? Oldest => _full is [var first, ..] ? first : null;

    public long SizeInBytes => _full.Sum(chunk => chunk.SizeInBytes) + _openBytes;

    public void DropOldest() => _full.RemoveAt(0);

    public void Text(int column, ReadOnlySpan<byte> value) => _openBytes += ((TextBuilder)_open[column]).Append(value);

    public void Text(int column, string value) => _openBytes += ((TextBuilder)_open[column]).Append(value);

    public void Real(int column, double value) => ((ValuesBuilder<double>)_open[column]).Append(value);

    public void Whole(int column, long value) => ((ValuesBuilder<long>)_open[column]).Append(value);

    public void Truth(int column, bool value) => ((ValuesBuilder<bool>)_open[column]).Append(value);

    /// <summary>Ends the row that the calls before have filled: each column that they left out is null.</summary>
    public void EndRow()
    {
        Rows++;
        _openRows++;
        foreach (var column in _open)
        {
            if (column.Count < _openRows)
                column.AppendNull();
        }
        if (_openRows < Chunk.Capacity && _openBytes < maxOpenBytes)
            return;
        var newest = _time < 0 ? 0 : ((ValuesBuilder<long>)_open[_time]).Last;
        _full.Add(new(_openRows, [.. _open.Select(column => column.Seal())], newest));
        _open = NewBuilders(schema, Rows);
        (_openRows, _openBytes) = (0, 0);
    }

    /// <summary>Takes back what the calls before have set of a row that has not ended.</summary>
    public void DropRow()
    {
        foreach (var column in _open)
        {
            if (column.Count > _openRows)
                column.DropLast();
        }
    }

    public TableSnapshot Snapshot() =>
        new(
            schema,
            _openRows == 0 ? [.. _full] : [.. _full, new Chunk(_openRows, [.. _open.Select(column => column.View())])]
        );

    private static ColumnBuilder[] NewBuilders(TableSchema schema, long firstRow) =>
        [.. schema.Columns.Select(column => ColumnBuilder.For(column, firstRow))];
}

/// <summary>A table as it was at one moment; it never changes, whatever is ingested meanwhile.</summary>
public sealed class TableSnapshot
{
    internal TableSnapshot(TableSchema schema, Chunk[] chunks)
    {
        Schema = schema;
        Chunks = chunks;
    }

    public TableSchema Schema { get; }

    public long Rows => Chunks.Sum(chunk => (long)chunk.Length);

    /// <summary>Memory of the full chunks, bytes.</summary>
    public long SizeInBytes => Chunks.Sum(chunk => chunk.SizeInBytes);

    internal IReadOnlyList<Chunk> Chunks { get; }
}
