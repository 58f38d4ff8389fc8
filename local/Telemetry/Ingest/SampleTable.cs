using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>A table for data that no SDK sends, such as queue counters. In the run's file, rows are
/// <c>{"table":NAME,"row":{COLUMN:VALUE,…}}</c>, after one line
/// <c>{"table":NAME,"columns":{COLUMN:TYPE,…}}</c>.</summary>
public sealed class SampleTable
{
    private readonly TelemetryStore _store;
    private readonly Table _table;

    internal SampleTable(TelemetryStore store, Table table)
    {
        _store = store;
        _table = table;
    }

    public TableSchema Schema => _table.Schema;

    /// <summary>Appends a row, with one value per column in the order of the schema.</summary>
    /// <exception cref="ArgumentException">A value doesn't match its column.</exception>
    public void Append(params ReadOnlySpan<object?> values)
    {
        if (values.Length != Schema.Columns.Count)
        {
            throw new ArgumentException(
                $"Table '{Schema.Name}' has {Schema.Columns.Count} columns, but {values.Length} values were given.",
                nameof(values)
            );
        }
        var row = new Dictionary<string, object?>();
        for (var i = 0; i < values.Length; i++)
            row[Schema.Columns[i].Name] = ValueFor(Schema.Columns[i], values[i]);
        _store.KeepSample(_table, JsonSerializer.SerializeToElement(new { table = Schema.Name, row }));
    }

    internal static byte[] Declaration(TableSchema schema) =>
        JsonSerializer.SerializeToUtf8Bytes(
            new
            {
                table = schema.Name,
                columns = schema.Columns.ToDictionary(column => column.Name, column => column.Type.KqlName()),
            }
        );

    private static object? ValueFor(ColumnSchema column, object? value) =>
        (column.Type, value) switch
        {
            (_, null) => null,
            (ColumnType.Real, double real) when !double.IsFinite(real) => null, // JSON can't express it.
            (ColumnType.DateTime, DateTimeOffset time) => time.UtcDateTime,
            (ColumnType.Int or ColumnType.Long or ColumnType.Real, int or long) => value,
            (ColumnType.Real, double) or (ColumnType.String, string) => value,
            (ColumnType.Bool, bool) or (ColumnType.TimeSpan, TimeSpan) => value,
            _ => throw new ArgumentException(
                $"A value of type {value.GetType().Name} does not fit column '{column.Name}' of type {column.Type.KqlName()}."
            ),
        };
}
