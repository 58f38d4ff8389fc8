using System.Globalization;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>Small tables, and results as text that a test can contain completely.</summary>
internal static class Answer
{
    public static TelemetrySnapshot Tables(params TableSnapshot[] tables) => new(tables);

    /// <param name="rows">Cells in the order of the columns: times and spans as text, dynamics as JSON text.</param>
    public static TableSnapshot Table(string name, string columns, params object?[][] rows)
    {
        var table = new Table(TableSchema.Parse(name, columns));
        foreach (var row in rows)
        {
            var values = new object?[table.Schema.Columns.Count];
            for (var i = 0; i < row.Length; i++)
                values[i] = Cell(table.Schema.Columns[i].Type, row[i]);
            table.Append(values);
        }
        return table.Snapshot();
    }

    /// <summary>
    /// Returns <c>name:type, name:type</c> on the first line, and then one line per row with "; " between the cells.
    /// Null is ∅.
    /// </summary>
    public static string To(
        string query,
        TelemetrySnapshot tables,
        QueryOptions? options = null,
        TimeProvider? clock = null
    )
    {
        var result = KqlQuery.Parse(query).Run(tables, options, clock, TestContext.Current.CancellationToken);
        var lines = Enumerable
            .Range(0, result.Rows)
            .Select(row =>
                string.Join("; ", Enumerable.Range(0, result.Columns.Count).Select(column => Text(result[row, column])))
            );
        return string.Join(
            "\n",
            [string.Join(", ", result.Columns.Select(column => $"{column.Name}:{column.Type.KqlName()}")), .. lines]
        );
    }

    /// <summary>Returns the type and value of an expression without a table.</summary>
    public static string Value(string expression, TimeProvider? clock = null)
    {
        var result = KqlQuery
            .Parse($"print {expression}")
            .Run(Tables(), null, clock, TestContext.Current.CancellationToken);
        return $"{result.Columns[0].Type.KqlName()} {Text(result[0, 0])}";
    }

    public static string Text(object? value) =>
        value switch
        {
            null => "∅",
            DateTime time => time.ToString("yyyy-MM-ddTHH:mm:ss.FFFFFFFK", CultureInfo.InvariantCulture),
            bool truth => truth ? "true" : "false",
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => value.ToString()!,
        };

    private static object? Cell(ColumnType type, object? value) =>
        (type, value) switch
        {
            (_, null or bool) => value,
            (ColumnType.Real, _) => Convert.ToDouble(value, CultureInfo.InvariantCulture),
            (ColumnType.DateTime, string time) => DateTimeOffset
                .Parse(time, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal)
                .UtcTicks,
            (ColumnType.TimeSpan, string span) => TimeSpan.Parse(span, CultureInfo.InvariantCulture).Ticks,
            (_, string) => value,
            _ => Convert.ToInt64(value, CultureInfo.InvariantCulture),
        };
}
