using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

internal readonly struct AnswerRow(QueryResult rows, int row)
{
    public static IEnumerable<AnswerRow> AllOf(QueryResult rows) => Enumerable.Range(0, rows.Rows).Select(row => new AnswerRow(rows, row));

    public object? this[string column] => rows.Column(column).ElementAt(row);

    public string Text(string column) => $"{this[column]}";

    public double Value(string column) => TimeRows.Number(this[column]);

    public DateTime Time(string column) => (DateTime)this[column]!;
}

internal sealed record AnswerColumn(string Head, Func<AnswerRow, Html> Cell)
{
    public static AnswerColumn Text(string head, string column) => new(head, row => HtmlTable.Cell(row.Text(column)));

    /// <param name="style">Given where the number is not 0.</param>
    public static AnswerColumn Number(string head, string column, string style = "") =>
        new(head + "#", row => HtmlTable.Number(row.Value(column), style: row.Value(column) > 0 ? style : ""));
}

/// <summary>The answer of a query file as a table with a title and its query; nothing where it has no rows.</summary>
internal static class AnswerTable
{
    /// <param name="isLong">Whether its texts need the whole width.</param>
    public static Html Render(Answer answer, string title, bool isLong, params IReadOnlyList<AnswerColumn> columns)
    {
        if (answer.Rows.Rows == 0)
            return Html.Empty;
        var rows = AnswerRow.AllOf(answer.Rows).Select(row => columns.Select(column => column.Cell(row)));
        return Html.Of($"""
            <div class="block{(isLong ? " long" : "")}"><h3>{title}</h3>{HtmlTable.Of(
                title, [.. columns.Select(column => column.Head)], rows)}{Source.Of(answer)}</div>

            """);
    }
}
