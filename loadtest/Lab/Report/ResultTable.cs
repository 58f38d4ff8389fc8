using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Report;

internal readonly struct AnswerRow(QueryResult rows, int row)
{
    public static IEnumerable<AnswerRow> AllOf(QueryResult rows) =>
        Enumerable.Range(0, rows.Rows).Select(row => new AnswerRow(rows, row));

    public object? this[string column] => rows.Column(column).ElementAt(row);

    public string Text(string column) => $"{this[column]}";

    public double Value(string column) => TimeRows.Number(this[column]);

    public DateTime Time(string column) => (DateTime)this[column]!;
}

internal sealed record AnswerColumn(string Head, Func<AnswerRow, Html> Cell)
{
    public static AnswerColumn Text(string head, string column) => new(head, row => HtmlTable.Cell(row.Text(column)));

    /// <param name="style">The style of nonzero numbers.</param>
    public static AnswerColumn Number(string head, string column, string style = "") =>
        new(head + "#", row => HtmlTable.Number(row.Value(column), style: row.Value(column) > 0 ? style : ""));
}

internal static class ResultTable
{
    public static Table Of(string title, QueryResult answer, int maxRows = int.MaxValue) =>
        Table.Of(
            title,
            [.. answer.Columns.Select(column => IsNumber(column.Type) ? column.Name + "#" : column.Name)],
            Rows(answer).Take(maxRows),
            row => [.. row.Select(text => (Cell)text)]
        );

    public static IEnumerable<IEnumerable<string>> Rows(QueryResult answer) =>
        Enumerable
            .Range(0, answer.Rows)
            .Select(row => Enumerable.Range(0, answer.Columns.Count).Select(column => Text(answer[row, column])));

    public static bool IsNumber(ColumnType type) => type is ColumnType.Int or ColumnType.Long or ColumnType.Real;

    private static string Text(object? cell) =>
        cell switch
        {
            DateTime time => $"{time:yyyy-MM-ddTHH:mm:ss.FFFFFFFK}",
            bool truth => truth ? "true" : "false",
            _ => $"{cell}",
        };

    /// <summary>Renders the result of a query file with a title and its query; empty if there are no rows.</summary>
    public static Html Render(Answer answer, string title, bool isLong, params IReadOnlyList<AnswerColumn> columns)
    {
        if (answer.Rows.Rows == 0)
            return Html.Empty;
        var rows = AnswerRow.AllOf(answer.Rows).Select(row => columns.Select(column => column.Cell(row)));
        return Html.Of(
            $"""
            <div class="block{(isLong ? " long" : "")}"><h3>{title}</h3>{HtmlTable.Of(
                title, [.. columns.Select(column => column.Head)], rows)}{Source.Of(answer)}</div>

            """
        );
    }
}
