using System.Buffers;
using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// A table of the collecting process's own: what no SDK sends, such as the counters of a queue or the CPU of a node. In the run's file each
/// row is <c>{"table":NAME,"row":{COLUMN:VALUE,…}}</c>, after one line <c>{"table":NAME,"columns":{COLUMN:TYPE,…}}</c>.
/// </summary>
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

    /// <summary>Adds a row: one value per column in the order of the schema, null where there is none.</summary>
    /// <exception cref="ArgumentException">A value does not fit its column; the message names it.</exception>
    public void Append(params ReadOnlySpan<object?> values)
    {
        if (values.Length != Schema.Columns.Count)
        {
            throw new ArgumentException(
                $"Table '{Schema.Name}' has {Schema.Columns.Count} columns, but {values.Length} values were given.",
                nameof(values)
            );
        }
        var line = new ArrayBufferWriter<byte>(256);
        using var json = new Utf8JsonWriter(line);
        json.WriteStartObject();
        json.WriteString("table", Schema.Name);
        json.WriteStartObject("row");
        for (var i = 0; i < values.Length; i++)
        {
            json.WritePropertyName(Schema.Columns[i].Name);
            WriteValue(json, Schema.Columns[i], values[i]);
        }
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();
        _store.KeepSample(_table, line.WrittenMemory);
    }

    internal static byte[] Declaration(TableSchema schema) =>
        JsonSerializer.SerializeToUtf8Bytes(
            new
            {
                table = schema.Name,
                columns = schema.Columns.ToDictionary(column => column.Name, column => column.Type.KqlName()),
            }
        );

    private static void WriteValue(Utf8JsonWriter json, ColumnSchema column, object? value)
    {
        switch (column.Type, value)
        {
            case (_, null):
                json.WriteNullValue();
                break;
            case (ColumnType.Bool, bool truth):
                json.WriteBooleanValue(truth);
                break;
            case (ColumnType.DateTime, DateTimeOffset time):
                json.WriteStringValue(time.UtcDateTime);
                break;
            case (ColumnType.TimeSpan, TimeSpan span):
                json.WriteStringValue(span.ToString("c", CultureInfo.InvariantCulture));
                break;
            case (ColumnType.Int or ColumnType.Long, int or long):
                json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            // JSON has no word for a value that is no number.
            case (ColumnType.Real, double real):
                if (double.IsFinite(real))
                    json.WriteNumberValue(real);
                else
                    json.WriteNullValue();
                break;
            case (ColumnType.Real, int or long):
                json.WriteNumberValue(Convert.ToDouble(value, CultureInfo.InvariantCulture));
                break;
            case (ColumnType.String, string text):
                json.WriteStringValue(text);
                break;
            default:
                throw new ArgumentException(
                    $"A value of type {value.GetType().Name} does not fit column '{column.Name}' of type {column.Type.KqlName()}."
                );
        }
    }
}
