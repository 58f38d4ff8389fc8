using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Report;

/// <summary>Tables of a page. Columns of numbers stand right, under a head that does too.</summary>
internal static class HtmlTable
{
    /// <param name="caption">What it is, for those who hear it; not shown.</param>
    /// <param name="head">A head that ends in <c>#</c> is of a column of numbers.</param>
    /// <param name="rows">Cells, as <see cref="Cell"/> and <see cref="Number"/> make them.</param>
    public static Html Of(string caption, IReadOnlyList<string> head, IEnumerable<IEnumerable<Html>> rows) => Html.Of($"""
        <div class="scroll"><table><caption>{caption}</caption><thead><tr>{head.Select(Head)}</tr></thead><tbody>
        {rows.Select(row => Html.Of($"<tr>{row}</tr>\n"))}</tbody></table></div>

        """);

    public static Html Cell(string? text, string style = "") => style.Length == 0
        ? Html.Of($"<td>{text}</td>")
        : Html.Of($"<td class=\"{style}\">{text}</td>");

    public static Html Number(double? value, string unit = "", string style = "")
    {
        var text = value is { } number ? NumberText.Of(number) + (double.IsFinite(number) ? unit : "") : "";
        return Html.Of($"<td class=\"number {style}\">{text}</td>");
    }

    private static Html Head(string name) => name.EndsWith('#')
        ? Html.Of($"<th scope=\"col\" class=\"number\">{name.TrimEnd('#')}</th>")
        : Html.Of($"<th scope=\"col\">{name}</th>");
}
