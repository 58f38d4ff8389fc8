namespace DroneDelivery.Lab.Report;

/// <summary>The answer of a query file as a table with a title and its query; nothing where it has no rows.</summary>
internal static class AnswerTable
{
    /// <param name="head">As of <see cref="HtmlTable"/>.</param>
    /// <param name="isLong">Whether its texts need the whole width.</param>
    public static Html Render(
        Answer answer, string title, IReadOnlyList<string> head, Func<AnswerRow, IEnumerable<Html>> cells, bool isLong = false)
    {
        if (answer.Rows.Rows == 0)
            return Html.Empty;
        var rows = Enumerable.Range(0, answer.Rows.Rows).Select(row => cells(new(answer.Rows, row)));
        return Html.Of($"""
            <div class="block{(isLong ? " long" : "")}"><h3>{title}</h3>{HtmlTable.Of(title, head, rows)}{Source.Of(answer)}</div>

            """);
    }
}
