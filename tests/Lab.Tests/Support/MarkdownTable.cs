namespace DroneDelivery.Lab.Tests.Support;

internal static class MarkdownTable
{
    /// <summary>Returns lines that each end with a line break.</summary>
    public static string Markdown(this Table table)
    {
        var columns = Enumerable.Range(0, table.Head.Count).ToList();
        IEnumerable<string> lines =
        [
            Line(columns.Select(column => Capitalised(table.HeadOf(column)))),
            $"|{string.Concat(columns.Select(column => table.IsOfNumbers(column) ? "--:|" : "---|"))}",
            .. table.Rows.Select(row => Line(row.Select(cell => cell.Text))),
        ];
        return string.Concat(lines.Select(line => line + "\n"));
    }

    private static string Capitalised(string head) =>
        head.Length == 0 ? "" : char.ToUpperInvariant(head[0]) + head[1..];

    private static string Line(IEnumerable<string> cells) => $"|{string.Concat(cells.Select(cell => $" {cell} |"))}";
}
