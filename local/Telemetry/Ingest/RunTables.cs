using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>The tables of a run, and which telemetry goes where. Not thread-safe; <see cref="TelemetryStore"/> holds the lock.</summary>
internal sealed class RunTables
{
    private const int ChunksOfWindow = 16;

    private readonly Dictionary<string, Table> _tables = [];
    private readonly long _maxOpenBytes;

    private readonly (byte[] BaseType, RowMapping Mapping)[] _mappings;

    /// <param name="window">The window to keep, of which a chunk is a small part; null keeps everything.</param>
    public RunTables(TelemetryWindow? window)
    {
        _maxOpenBytes = Math.Min(Table.MaxOpenBytes, window?.Bytes / ChunksOfWindow ?? long.MaxValue);
        foreach (var schema in KnownTables.All.Concat(SampleTables.All))
            _tables[schema.Name] = new(schema, _maxOpenBytes);
        _mappings =
        [
            (
                "RemoteDependencyData"u8.ToArray(),
                new TimedRowMapping(
                    _tables["dependencies"],
                    "dependency",
                    (EnvelopeField.Id, "id"),
                    (EnvelopeField.Target, "target"),
                    (EnvelopeField.Type, "type"),
                    (EnvelopeField.Name, "name"),
                    (EnvelopeField.Data, "data"),
                    (EnvelopeField.ResultCode, "resultCode")
                )
            ),
            (
                "RequestData"u8.ToArray(),
                new TimedRowMapping(
                    _tables["requests"],
                    "request",
                    (EnvelopeField.Id, "id"),
                    (EnvelopeField.Source, "source"),
                    (EnvelopeField.Name, "name"),
                    (EnvelopeField.Url, "url"),
                    (EnvelopeField.ResponseCode, "resultCode")
                )
            ),
            ("MessageData"u8.ToArray(), new TraceMapping(_tables["traces"])),
            ("ExceptionData"u8.ToArray(), new ExceptionMapping(_tables["exceptions"])),
            ("MetricData"u8.ToArray(), new MetricMapping(_tables["customMetrics"], _tables["performanceCounters"])),
            (
                "EventData"u8.ToArray(),
                new RowMapping(_tables["customEvents"], "customEvent", (EnvelopeField.Name, "name"))
            ),
            (
                "AvailabilityData"u8.ToArray(),
                new TimedRowMapping(
                    _tables["availabilityResults"],
                    "availabilityResult",
                    (EnvelopeField.Id, "id"),
                    (EnvelopeField.Name, "name"),
                    (EnvelopeField.RunLocation, "location"),
                    (EnvelopeField.Message, "message")
                )
            ),
        ];
    }

    /// <summary>Null when no table takes this type.</summary>
    public RowMapping? MappingFor(ReadOnlySpan<byte> baseType)
    {
        foreach (var (candidate, mapping) in _mappings)
        {
            if (baseType.SequenceEqual(candidate))
                return mapping;
        }
        return null;
    }

    /// <summary>The table of that name, made if there is none.</summary>
    /// <exception cref="ArgumentException">There is one with other columns.</exception>
    public Table Define(TableSchema schema)
    {
        if (!_tables.TryGetValue(schema.Name, out var table))
            _tables[schema.Name] = table = new(schema, _maxOpenBytes);
        if (!table.Schema.Columns.SequenceEqual(schema.Columns))
            throw new ArgumentException($"Table '{schema.Name}' already exists with other columns.", nameof(schema));
        return table;
    }

    /// <summary>Drops the oldest full chunks until the rest fits.</summary>
    /// <returns>How many rows they had.</returns>
    public long Trim(TelemetryWindow window, DateTimeOffset now)
    {
        var (size, dropped, oldest) = (_tables.Values.Sum(table => table.SizeInBytes), 0L, (now - window.Age).UtcTicks);
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
