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
    public static TableSchema? Declaration(JsonElement line) => !line.TryGetProperty("columns", out var columns) ? null : new(
        line.GetProperty("table").GetString()!,
        [.. columns.EnumerateObject().Select(column => new ColumnSchema(column.Name,
            ColumnTypes.Find(column.Value.GetString()!) ?? throw new FormatException($"'{column.Value}' is not a column type.")))]);

    public static void AppendTo(Table table, JsonElement row)
    {
        foreach (var value in row.EnumerateObject())
            if (table.Schema.IndexOf(value.Name) is >= 0 and var column && value.Value.ValueKind != JsonValueKind.Null)
                Append(table, column, value.Value);
        table.EndRow();
    }

    private static void Append(Table table, int column, JsonElement value)
    {
        switch (table.Schema.Columns[column].Type)
        {
            case ColumnType.Bool: table.Truth(column, value.GetBoolean()); break;
            case ColumnType.Real: table.Real(column, value.GetDouble()); break;
            case ColumnType.DateTime: table.Whole(column, value.GetDateTimeOffset().UtcTicks); break;
            case ColumnType.TimeSpan: table.Whole(column, TimeSpan.Parse(value.GetString()!, CultureInfo.InvariantCulture).Ticks); break;
            case ColumnType.String: table.Text(column, value.GetString()!); break;
            case ColumnType.Dynamic: table.Text(column, value.GetRawText()); break;
            default: table.Whole(column, value.GetInt64()); break;
        }
    }
}
