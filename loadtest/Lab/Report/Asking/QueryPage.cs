using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Report;

/// <summary>The query editor. The page's script sends the query to the lab.</summary>
internal static class QueryPage
{
    public const string Id = "query";

    public static Html Render(string about, QueryLimits limits) =>
        Page.Section(
            Id,
            about,
            "Query",
            Html.Of(
                $"""
                <form id="ask"><label for="kql">KQL; Tab completes, Ctrl+Enter runs</label>
                <textarea id="kql" rows="8" spellcheck="false" autocomplete="off" aria-controls="words">requests
                | summarize count() by cloud_RoleName, resultCode</textarea>
                <ul id="words" class="words" aria-label="Completions" hidden></ul>
                <p class="says">{Says(limits)}</p>
                <p class="ask"><button type="submit">Run</button>
                <label>or start with <select id="files"><option value="">a query of the lab</option>{Files()}</select></label></p></form>
                <div id="answer" aria-live="polite"></div>
                """
            )
        );

    private static Html Says(QueryLimits limits) =>
        Html.Of(
            $"One query at a time, for at most {limits.Time.TotalSeconds:0} s and {limits.ResultRows:N0} rows; "
                + $"a table shows {AnswerPage.MaxRows}. In the lab's queries, the start is that of the run and the end is now."
        );

    private static IEnumerable<Html> Files() =>
        QueryFile.All.Keys.Select(name => Html.Of($"<option value=\"{QueryFile.Text(name).Trim()}\">{name}</option>"));
}

/// <summary>The result of a query as a table and as a chart: lines over time, or bars with names.</summary>
internal static class AnswerPage
{
    public const int MaxRows = 200;
    private const int MostBars = 40;

    public static Html Render(QueryResult answer)
    {
        var chart = LinesOf(answer) is { HasPoints: true } lines
            ? SvgChart.Render(lines)
            : Html.Of($"{BarsOf(answer).Select(bars => bars.Render())}");
        var table = answer.Rendering?.Chart == "table" || chart.Markup.Length == 0;
        var cut = answer.Rows > MaxRows ? $"; the table has the first {MaxRows}" : "";
        return Html.Of(
            $"""
            {(answer.Partial is { } missing ? Html.Of($"<p class=\"error\">{missing}</p>") : Html.Empty)}
            <p class="says">{answer.Rows:N0} rows from {answer.RowsRead:N0} in {answer.Elapsed.TotalMilliseconds:N0} ms{cut}</p>
            {(chart.Markup.Length == 0 ? Html.Empty : Shapes(chart, table))}
            <div data-shape="table"{Hidden(!table)}>{HtmlTable.Of(ResultTable.Of("Answer", answer, MaxRows))}</div>

            """
        );
    }

    private static Html Shapes(Html chart, bool isTable) =>
        Html.Of(
            $"""<p class="shapes" role="group" aria-label="Shown as">{Shape("chart", !isTable)}{Shape("table", isTable)}</p>"""
                + $"""<div data-shape="chart"{Hidden(isTable)}>{chart}</div>"""
        );

    private static Html Shape(string name, bool isShown) =>
        Html.Of(
            $"""<button type="button" data-of="{name}" aria-pressed="{(isShown ? "true" : "false")}">{name}</button>"""
        );

    private static Html Hidden(bool isHidden) => new(isHidden ? " hidden" : "");

    /// <summary>Returns a line for each numeric column and combination of texts; <c>null</c> without a column of times.</summary>
    private static LineChart? LinesOf(QueryResult answer)
    {
        var time = Index(answer, type => type == ColumnType.DateTime).FirstOrDefault(-1);
        var rows =
            time < 0
                ? []
                : Enumerable
                    .Range(0, answer.Rows)
                    .Where(row => answer[row, time] is DateTime)
                    .OrderBy(row => (DateTime)answer[row, time]!)
                    .ToList();
        if (rows.Count < 2)
            return null;
        var start = (DateTime)answer[rows[0], time]!;
        var lines = (
            from column in Index(answer, ResultTable.IsNumber)
            from series in rows.GroupBy(row => NameOf(answer, row))
            select new Line(
                $"{series.Key} {answer.Columns[column].Name}".Trim(),
                "",
                [.. series.Select(row => PointOf(row, column))]
            )
        ).ToList();
        var left =
            lines.Count <= Palette.Series.Count
                ? ""
                : $" The first {Palette.Series.Count} of {lines.Count} lines are shown.";
        return new("answer-chart", "Answer", $"Time since {start:HH:mm:ss} UTC.{left}", "", Palette.Paint(lines), []);

        Point PointOf(int row, int column) =>
            new(((DateTime)answer[row, time]! - start).TotalSeconds, TimeRows.Number(answer[row, column]));
    }

    /// <summary>Returns bars for each numeric column of a short result with names.</summary>
    private static IEnumerable<BarChart> BarsOf(QueryResult answer) =>
        answer.Rows is 0 or > MostBars || !Index(answer, type => type == ColumnType.String).Any()
            ? []
            : Index(answer, ResultTable.IsNumber)
                .Select(column => new BarChart(
                    answer.Columns[column].Name,
                    [
                        .. Enumerable
                            .Range(0, answer.Rows)
                            .Select(row => (NameOf(answer, row), TimeRows.Number(answer[row, column]))),
                    ]
                ));

    private static string NameOf(QueryResult answer, int row) =>
        string.Join(
            ' ',
            Index(answer, type => type is ColumnType.String or ColumnType.Bool).Select(text => answer[row, text])
        );

    private static IEnumerable<int> Index(QueryResult answer, Func<ColumnType, bool> which) =>
        Enumerable.Range(0, answer.Columns.Count).Where(i => which(answer.Columns[i].Type));
}
