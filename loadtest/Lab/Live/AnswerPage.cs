using System.Globalization;
using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Report;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Live;

/// <summary>The answer of any query: a chart where it has times and numbers, and its rows.</summary>
internal static class AnswerPage
{
    private const int MostRows = 200, MostLines = 12;
    private static readonly string[] Colours = ["incoming", "outgoing", "errors", "users", "backlog", "memory", "quiet", "requests"];

    public static Html Render(QueryResult answer) => Html.Of($"""
        <p class="says">{answer.Rows:N0} rows from {answer.RowsRead:N0} in {answer.Elapsed.TotalMilliseconds:N0} ms{(answer.Rows > MostRows ? $"; the first {MostRows} are shown" : "")}</p>
        {(ChartOf(answer) is { HasPoints: true } chart ? SvgChart.Render(chart) : Html.Empty)}
        {HtmlTable.Of("Answer", [.. answer.Columns.Select(column => column.Name + (IsNumber(column.Type) ? "#" : ""))], Enumerable.Range(0, Math.Min(answer.Rows, MostRows)).Select(row => answer.Columns.Select((column, i) => Cell(column, answer[row, i]))))}
        """);

    /// <summary>A line for each column of numbers, and for each text beside it; null without a column of times.</summary>
    private static LineChart? ChartOf(QueryResult answer)
    {
        var time = Index(answer, type => type == ColumnType.DateTime).FirstOrDefault(-1);
        var rows = time < 0 ? [] : Enumerable.Range(0, answer.Rows).Where(row => answer[row, time] is DateTime).OrderBy(row => (DateTime)answer[row, time]!).ToList();
        if (rows.Count < 2)
            return null;
        var start = (DateTime)answer[rows[0], time]!;
        var texts = Index(answer, type => type == ColumnType.String).ToList();
        var lines = from column in Index(answer, IsNumber)
                    from series in rows.GroupBy(row => string.Join(' ', texts.Select(text => answer[row, text])))
                    select ($"{series.Key} {answer.Columns[column].Name}".Trim(), series.Select(row => new Point(((DateTime)answer[row, time]! - start).TotalSeconds, TimeRows.Number(answer[row, column]))));
        return new("answer-chart", "Answer", $"Time since {start.ToString("HH:mm:ss", CultureInfo.InvariantCulture)} UTC.", "",
            [.. lines.Take(MostLines).Select((line, i) => new Line(line.Item1, Colours[i % Colours.Length], [.. line.Item2]))], []);
    }

    private static IEnumerable<int> Index(QueryResult answer, Func<ColumnType, bool> which) => Enumerable.Range(0, answer.Columns.Count).Where(i => which(answer.Columns[i].Type));

    private static Html Cell(ColumnSchema column, object? cell) => cell switch
    {
        DateTime time => HtmlTable.Cell(time.ToString("yyyy-MM-dd HH:mm:ss.fff", CultureInfo.InvariantCulture)),
        IFormattable value => HtmlTable.Cell(value.ToString(null, CultureInfo.InvariantCulture), IsNumber(column.Type) ? "number" : ""),
        _ => HtmlTable.Cell(cell?.ToString()),
    };

    private static bool IsNumber(ColumnType type) => type is ColumnType.Int or ColumnType.Long or ColumnType.Real;
}
