namespace DroneDelivery.Telemetry.Tables;

/// <param name="maxOpenBytes">The size of distinct strings from which a chunk is full, in bytes.</param>
internal sealed class Table(TableSchema schema, long maxOpenBytes = Table.MaxOpenBytes)
{
    public const long MaxOpenBytes = 64 << 20;

    private readonly List<Chunk> _full = [];
    private readonly int _time = schema.IndexOf("timestamp");
    private ColumnBuilder?[] _open = NewBuilders(schema);
    private int _openRows;
    private long _openBytes,
        _newest;

    public TableSchema Schema => schema;

    public long Rows { get; private set; }

    public Chunk? Oldest => _full is [var first, ..] ? first : null;

    public long SizeInBytes => _full.Sum(chunk => chunk.SizeInBytes) + _openBytes;

    public void DropOldest() => _full.RemoveAt(0);

    /// <param name="row">The values of the columns: bool, long (also ticks), double, string, or dynamic as JSON.</param>
    public void Append(object?[] row)
    {
        for (var i = 0; i < _open.Length; i++)
            _openBytes += _open[i]?.Append(row[i]) ?? 0;
        _newest = _time >= 0 && row[_time] is long time ? time : 0;
        Rows++;
        _openRows++;
        if (_openRows < Chunk.Capacity && _openBytes < maxOpenBytes)
            return;
        _full.Add(Open(column => column.Seal()));
        _open = NewBuilders(schema);
        _openRows = 0;
        _openBytes = 0;
    }

    public TableSnapshot Snapshot() =>
        new(schema, _openRows == 0 ? [.. _full] : [.. _full, Open(column => column.View())]);

    private Chunk Open(Func<ColumnBuilder, Column> read)
    {
        var columns = Array.ConvertAll(_open, column => column is null ? null : read(column));
        return new(_openRows, Rows - _openRows, columns, _openBytes, _newest);
    }

    private static ColumnBuilder?[] NewBuilders(TableSchema schema) =>
        [.. schema.Columns.Select(column => column.Name == KnownTables.ItemId ? null : ColumnBuilder.For(column.Type))];
}

public sealed class TableSnapshot
{
    internal TableSnapshot(TableSchema schema, Chunk[] chunks)
    {
        Schema = schema;
        Chunks = chunks;
    }

    public TableSchema Schema { get; }

    public long Rows => Chunks.Sum(chunk => (long)chunk.Length);

    public long SizeInBytes => Chunks.Sum(chunk => chunk.SizeInBytes);

    internal IReadOnlyList<Chunk> Chunks { get; }
}
