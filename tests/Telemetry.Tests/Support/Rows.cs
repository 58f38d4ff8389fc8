namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>Reads a table cell by cell, as a test wants it.</summary>
internal static class Rows
{
    public static List<Dictionary<string, object?>> Of(TelemetrySnapshot snapshot, string table)
    {
        var rows = new List<Dictionary<string, object?>>();
        var columns = snapshot.Tables[table].Schema.Columns;
        foreach (var chunk in snapshot.Tables[table].Chunks)
        {
            var read = Enumerable.Range(0, columns.Count).Select(i => chunk.Read(i).Flatten()).ToList();
            for (var row = 0; row < chunk.Length; row++)
                rows.Add(Enumerable.Range(0, columns.Count).ToDictionary(i => columns[i].Name, i => Cell(read[i], row)));
        }
        return rows;
    }

    private static object? Cell(Column column, int row) => column switch
    {
        Values<Dynamic> values => values.IsNull(row) ? null : values[row].ToString(),
        Values<long> values when column.Type == ColumnType.DateTime => new DateTime(values[row], DateTimeKind.Utc),
        Values<long> values => values.IsNull(row) ? null : values[row],
        Values<double> values => values.IsNull(row) ? null : values[row],
        Values<bool> values => values.IsNull(row) ? null : values[row],
        Values<string> values => values[row],
        _ => throw new InvalidOperationException(),
    };
}
