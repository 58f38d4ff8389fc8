using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Reads the lines that <see cref="SampleTable"/> writes.</summary>
internal static class SampleLine
{
    private static readonly byte[] Beginning = "{\"table\":"u8.ToArray();

    public static bool Is(ReadOnlySpan<byte> line) => line.StartsWith(Beginning);

    /// <summary>The table that a line declares; null when it is a row.</summary>
    public static TableSchema? Declaration(JsonElement line) =>
        !line.TryGetProperty("columns", out var columns)
            ? null
            : new(
                line.GetProperty("table").GetString()!,
                [
                    .. columns
                        .EnumerateObject()
                        .Select(column => new ColumnSchema(
                            column.Name,
                            ColumnTypes.Find(column.Value.GetString()!)
                                ?? throw new FormatException($"'{column.Value}' is not a column type.")
                        )),
                ]
            );

    /// <summary>Appends the row whole or not at all. Of a property that comes twice the last one counts.</summary>
    public static void AppendTo(Table table, JsonElement row)
    {
        try
        {
            for (var column = 0; column < table.Schema.Columns.Count; column++)
            {
                if (
                    row.TryGetProperty(table.Schema.Columns[column].Name, out var value)
                    && value.ValueKind != JsonValueKind.Null
                )
                {
                    Append(table, column, value);
                }
            }
            table.EndRow();
        }
        catch
        {
            table.DropRow();
            throw;
        }
    }

    private static void Append(Table table, int column, JsonElement value)
    {
        switch (table.Schema.Columns[column].Type)
        {
            case ColumnType.Bool:
                table.Truth(column, value.GetBoolean());
                break;
            case ColumnType.Real:
                table.Real(column, value.GetDouble());
                break;
            case ColumnType.DateTime:
                table.Whole(column, value.GetDateTimeOffset().UtcTicks);
                break;
            case ColumnType.TimeSpan:
                table.Whole(column, TimeSpan.Parse(value.GetString()!, CultureInfo.InvariantCulture).Ticks);
                break;
            case ColumnType.String:
                table.Text(column, value.GetString()!);
                break;
            case ColumnType.Dynamic:
                table.Text(column, value.GetRawText());
                break;
            default:
                table.Whole(column, value.GetInt64());
                break;
        }
    }
}
