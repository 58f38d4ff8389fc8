using System.Globalization;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>Small tables, and answers as text that a test can state whole.</summary>
internal static class Answer
{
    public static TelemetrySnapshot Tables(params TableSnapshot[] tables) => new(tables);

    /// <param name="rows">Cells in the order of the columns; times and spans as text, dynamics as JSON text.</param>
    public static TableSnapshot Table(string name, string columns, params object?[][] rows)
    {
        var table = new Table(TableSchema.Parse(name, columns));
        foreach (var row in rows)
        {
            for (var i = 0; i < row.Length; i++)
            {
                if (row[i] is { } value)
                    Set(table, i, value);
            }
            table.EndRow();
        }
        return table.Snapshot();
    }

    /// <summary><c>name:type, name:type</c> on the first line, then one line per row with "; " between the cells. Null is ∅.</summary>
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

    /// <summary>Type and value of one expression over no table.</summary>
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

    private static void Set(Table table, int column, object value)
    {
        switch (table.Schema.Columns[column].Type, value)
        {
            case (ColumnType.Bool, bool truth):
                table.Truth(column, truth);
                break;
            case (ColumnType.Real, _):
                table.Real(column, Convert.ToDouble(value, CultureInfo.InvariantCulture));
                break;
            case (ColumnType.DateTime, string time):
                table.Whole(
                    column,
                    DateTimeOffset.Parse(time, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal).UtcTicks
                );
                break;
            case (ColumnType.TimeSpan, string span):
                table.Whole(column, TimeSpan.Parse(span, CultureInfo.InvariantCulture).Ticks);
                break;
            case (_, string text):
                table.Text(column, text);
                break;
            default:
                table.Whole(column, Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
        }
    }
}
