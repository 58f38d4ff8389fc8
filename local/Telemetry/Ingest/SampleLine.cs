using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

internal static class SampleLine
{
    /// <summary>Returns the table that a line declares; <c>null</c> if the line is a row.</summary>
    public static TableSchema? Declaration(JsonElement line) =>
        line.TryGetProperty("columns", out var columns)
            ? new(line.GetProperty("table").GetString()!, [.. columns.EnumerateObject().Select(ColumnOf)])
            : null;

    public static object?[] Row(TableSchema schema, JsonElement row) =>
        [
            .. schema.Columns.Select(column =>
                row.TryGetProperty(column.Name, out var value) ? Value(column.Type, value) : null
            ),
        ];

    private static ColumnSchema ColumnOf(JsonProperty column) =>
        new(
            column.Name,
            ColumnTypes.Find(column.Value.GetString()!)
                ?? throw new FormatException($"'{column.Value}' is not a column type.")
        );

    private static object? Value(ColumnType type, JsonElement value) =>
        (type, value.ValueKind) switch
        {
            (_, JsonValueKind.Null) => null,
            (ColumnType.Bool, _) => value.GetBoolean(),
            (ColumnType.Real, _) => value.GetDouble(),
            (ColumnType.DateTime, _) => value.GetDateTimeOffset().UtcTicks,
            (ColumnType.TimeSpan, _) => TimeSpan.Parse(value.GetString()!, CultureInfo.InvariantCulture).Ticks,
            (ColumnType.String, _) => value.GetString(),
            (ColumnType.Dynamic, _) => value.GetRawText(),
            _ => value.GetInt64(),
        };
}
