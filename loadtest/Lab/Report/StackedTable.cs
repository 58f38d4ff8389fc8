namespace DroneDelivery.Lab.Report;

/// <summary>Values that are sums: a bar for each, of one piece for each part.</summary>
/// <param name="Parts">In the order in which they are stacked.</param>
internal sealed record StackedBars(string Title, string Says, string Unit, IReadOnlyList<string> Parts, IReadOnlyList<StackedBar> Bars);

/// <param name="Values">Of each part; one that it does not have is zero.</param>
internal sealed record StackedBar(string Name, IReadOnlyList<double> Values);

/// <summary>Stacked bars as a table, so that everybody can read them: pieces are drawn, and numbers beside them.</summary>
internal static class StackedTable
{
    public static Html Render(StackedBars bars)
    {
        var longest = bars.Bars.Select(Total).DefaultIfEmpty(0).Max();
        return Html.Of($"""
            <figure class="stacks"><figcaption>{bars.Title}</figcaption><p class="says">{bars.Says}</p>
            <div class="scroll"><table><caption>{bars.Title}, {bars.Unit}</caption>
            <thead><tr><th scope="col" colspan="2"></th>{bars.Parts.Zip(Palette.Series, Head)}
            <th scope="col" class="number">all</th></tr></thead>
            <tbody>{bars.Bars.Select(bar => Row(bar, longest))}</tbody></table></div>
            <p class="note">{bars.Unit}</p></figure>

            """);
    }

    private static double Total(StackedBar bar) => bar.Values.Sum();

    private static Html Head(string part, string colour) =>
        Html.Of($"<th scope=\"col\" class=\"number\"><span class=\"part c-{colour}\">{part}</span></th>");

    private static Html Row(StackedBar bar, double longest) => Html.Of($"""
        <tr><th scope="row">{bar.Name}</th>
        <td class="track" aria-hidden="true">{bar.Values.Zip(Palette.Series, (value, colour) => Piece(value, colour, longest))}</td>
        {bar.Values.Select(value => HtmlTable.Number(value == 0 ? null : value))}{HtmlTable.Number(Total(bar), "", "strong")}</tr>

        """);

    private static Html Piece(double value, string colour, double longest)
    {
        var percent = value > 0 && double.IsFinite(value) && longest > 0 ? 100 * value / longest : 0;
        return Html.Of($"<span class=\"piece c-{colour}\" style=\"width:{percent:0.##}%\"></span>");
    }
}
