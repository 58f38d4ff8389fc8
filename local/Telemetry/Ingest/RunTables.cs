using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>The tables of a run. Not thread-safe: <see cref="TelemetryStore"/> holds the lock.</summary>
internal sealed class RunTables
{
    private const int ChunksOfWindow = 16;

    private readonly Dictionary<string, Table> _tables = [];
    private readonly long _maxOpenBytes;

    /// <param name="window">The window to keep, of which a chunk is a small part; <c>null</c> to keep everything.</param>
    public RunTables(TelemetryWindow? window)
    {
        _maxOpenBytes = Math.Min(Table.MaxOpenBytes, window?.Bytes / ChunksOfWindow ?? long.MaxValue);
        foreach (var schema in KnownTables.All.Concat(SampleTables.All))
            _tables[schema.Name] = new(schema, _maxOpenBytes);
        Rows = new(_tables);
    }

    public ItemRows Rows { get; }

    public Table Define(TableSchema schema)
    {
        if (!_tables.TryGetValue(schema.Name, out var table))
            _tables[schema.Name] = table = new(schema, _maxOpenBytes);
        if (!table.Schema.Columns.SequenceEqual(schema.Columns))
            throw new ArgumentException($"Table '{schema.Name}' already exists with other columns.", nameof(schema));
        return table;
    }

    /// <summary>Drops the oldest full chunks until the rest fits the window, and returns the number of dropped
    /// rows.</summary>
    public long Trim(TelemetryWindow window, DateTimeOffset now)
    {
        var size = _tables.Values.Sum(table => table.SizeInBytes);
        var dropped = 0L;
        var oldest = (now - window.Age).UtcTicks;
        while (
            _tables.Values.Where(table => table.Oldest is not null).MinBy(table => table.Oldest!.Newest)
                is { Oldest: { } chunk } table
            && (size > window.Bytes || chunk.Newest < oldest)
        )
        {
            size -= chunk.SizeInBytes;
            dropped += chunk.Length;
            table.DropOldest();
        }
        return dropped;
    }

    public Table? Find(string name) => _tables.GetValueOrDefault(name);

    public TelemetrySnapshot Snapshot() => new(_tables.Values.Select(table => table.Snapshot()));
}
