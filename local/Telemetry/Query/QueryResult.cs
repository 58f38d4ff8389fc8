using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The visualization of a result: <c>render timechart with (title="…")</c>.</summary>
public sealed record Rendering(string Chart, IReadOnlyDictionary<string, string> Properties);

public sealed class QueryResult
{
    private readonly Column[] _values;

    internal QueryResult(
        IReadOnlyList<ColumnSchema> columns,
        Column[] values,
        int rows,
        Rendering? rendering,
        TimeSpan elapsed,
        long rowsRead
    )
    {
        _values = values;
        Columns = columns;
        Rows = rows;
        Rendering = rendering;
        Elapsed = elapsed;
        RowsRead = rowsRead;
    }

    public IReadOnlyList<ColumnSchema> Columns { get; }

    public int Rows { get; }

    /// <summary>The reason for missing rows, and a suggestion; <c>null</c> if the result is complete.</summary>
    public string? Partial { get; init; }

    public Rendering? Rendering { get; }

    public TimeSpan Elapsed { get; }

    public long RowsRead { get; }

    /// <summary>
    /// Gets a cell as bool, long (also for int), double, string, <see cref="DateTime"/> in UTC, <see cref="TimeSpan"/>, <see
    /// cref="Dynamic"/>, or <c>null</c>.
    /// </summary>
    public object? this[int row, int column] =>
        (_values[column].Value(row), Columns[column].Type) switch
        {
            (long ticks, ColumnType.DateTime) => new DateTime(ticks, DateTimeKind.Utc),
            (long ticks, ColumnType.TimeSpan) => new TimeSpan(ticks),
            var (value, _) => value,
        };

    public IEnumerable<object?> Column(string name)
    {
        for (var i = 0; i < Columns.Count; i++)
        {
            var column = i;
            if (Columns[i].Name == name)
                return Enumerable.Range(0, Rows).Select(row => this[row, column]);
        }
        throw new ArgumentException(
            $"The result has no column '{name}', only {string.Join(", ", Columns.Select(column => column.Name))}.",
            nameof(name)
        );
    }

    /// <summary>Writes a cell as JSON: times as ISO 8601 in UTC, timespans as [d.]hh:mm:ss, NaN and infinity as null.</summary>
    public void WriteCell(System.Text.Json.Utf8JsonWriter json, int row, int column) =>
        JsonValue.Write(json, Columns[column].Type, _values[column].Value(row));
}
