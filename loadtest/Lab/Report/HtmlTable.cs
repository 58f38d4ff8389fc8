namespace DroneDelivery.Lab.Report;

internal static class HtmlTable
{
    /// <param name="caption">The accessible name; not visible.</param>
    /// <param name="head">A trailing <c>#</c> marks a numeric column.</param>
    public static Html Of(string caption, IReadOnlyList<string> head, IEnumerable<IEnumerable<Html>> rows) =>
        Html.Of(
            $"""
            <div class="scroll"><table><caption>{caption}</caption><thead><tr>{head.Select(Head)}</tr></thead><tbody>
            {rows.Select(row => Html.Of($"<tr>{row}</tr>\n"))}</tbody></table></div>

            """
        );

    public static Html Of(Table table) => Of(table.Title, table.Head, table.Rows.Select(row => Cells(table, row)));

    private static IEnumerable<Html> Cells(Table table, Cell[] row) =>
        row.Select(
            (cell, column) =>
            {
                var style = StyleOf(cell.Tone, table.IsOfNumbers(column));
                return cell.Note.Length == 0
                    ? Cell(cell.Text, style)
                    : Html.Of($"<td class=\"{style}\">{cell.Text}<br><span class=\"muted\">{cell.Note}</span></td>");
            }
        );

    public static Html Cell(string? text, string style = "") =>
        style.Length == 0 ? Html.Of($"<td>{text}</td>") : Html.Of($"<td class=\"{style}\">{text}</td>");

    public static Html Number(double? value, string unit = "", string style = "") =>
        Html.Of($"<td class=\"number {style}\">{Lab.Cell.Of(value, unit).Text}</td>");

    private static string StyleOf(Tone tone, bool isNumber)
    {
        var style = tone switch
        {
            Tone.Good => "holds",
            Tone.Bad => "fails",
            Tone.Strong => "strong",
            Tone.Quiet or Tone.Odd => "muted",
            _ => "",
        };
        return isNumber ? $"number {style}".TrimEnd() : style;
    }

    private static Html Head(string name) =>
        name.EndsWith('#')
            ? Html.Of($"<th scope=\"col\" class=\"number\">{name.TrimEnd('#')}</th>")
            : Html.Of($"<th scope=\"col\">{name}</th>");
}
