using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>How a query asks to be shown: <c>render timechart with (title="…")</c>.</summary>
public sealed record Rendering(string Chart, IReadOnlyDictionary<string, string> Properties);

/// <summary>The rows of an answered query.</summary>
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

    /// <summary>Why rows are missing, and what to do; null: none is.</summary>
    public string? Partial { get; init; }

    /// <summary>Null when the query does not say.</summary>
    public Rendering? Rendering { get; }

    public TimeSpan Elapsed { get; }

    /// <summary>Rows of tables that were looked at.</summary>
    public long RowsRead { get; }

    /// <summary>A cell as bool, long (int too), double, string, <see cref="DateTime"/> in UTC, <see cref="TimeSpan"/>, or for dynamic its
    /// <see cref="Dynamic"/>; null for null.</summary>
    public object? this[int row, int column] =>
        (_values[column].Value(row), Columns[column].Type) switch
        {
            (long ticks, ColumnType.DateTime) => new DateTime(ticks, DateTimeKind.Utc),
            (long ticks, ColumnType.TimeSpan) => new TimeSpan(ticks),
            var (value, _) => value,
        };

    /// <summary>The cells of one column.</summary>
    /// <exception cref="ArgumentException">There is no such column.</exception>
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

    /// <summary>Writes a cell as a JSON value: times as ISO 8601 in UTC, spans as [d.]hh:mm:ss, what is no number as null.</summary>
    public void WriteCell(System.Text.Json.Utf8JsonWriter json, int row, int column) =>
        JsonValue.Write(json, Columns[column].Type, _values[column].Value(row));
}
