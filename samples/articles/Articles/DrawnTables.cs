using DroneDelivery.Lab;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Articles;

/// <summary>A heat map as a table: a cell shows its value, its color the order of magnitude.</summary>
internal static class HeatTable
{
    public static Html Render(HeatMap map)
    {
        var values = map.Values.SelectMany(row => row).Where(value => value > 0).DefaultIfEmpty(1).ToList();
        var (low, high) = (Math.Log(values.Min()), Math.Log(values.Max()));
        return Html.Of(
            $"""
            <figure class="heat"><figcaption>{map.Title}</figcaption><p class="says">{map.Says}</p>
            <div class="scroll"><table><caption>{map.Title}, {map.Unit}</caption>
            <thead><tr><th scope="col">{map.RowName} ↓ {map.ColumnName} →</th>{map.Columns.Select(Head)}</tr></thead>
            <tbody>{map.Rows.Zip(map.Values, Row)}</tbody></table></div>
            <p class="note">{map.Unit}; the darker, the more.</p></figure>

            """
        );

        Html Row(string name, IReadOnlyList<double> row) =>
            Html.Of($"<tr><th scope=\"row\">{name}</th>{row.Select(Cell)}</tr>\n");

        Html Cell(double value)
        {
            var heat = high > low && value > 0 ? 100 * (Math.Log(value) - low) / (high - low) : 0;
            return Html.Of($"<td class=\"number\" style=\"--heat:{heat:0}%\">{NumberText.Of(value)}</td>");
        }
    }

    private static Html Head(string column) => Html.Of($"<th scope=\"col\" class=\"number\">{column}</th>");
}

/// <summary>Stacked bars as a table: the pieces, and their numbers beside them.</summary>
internal static class StackedTable
{
    public static Html Render(StackedBars bars)
    {
        var longest = bars.Bars.Select(bar => bar.Values.Sum()).DefaultIfEmpty(0).Max();
        return Html.Of(
            $"""
            <figure class="stacks"><figcaption>{bars.Title}</figcaption><p class="says">{bars.Says}</p>
            <div class="scroll"><table><caption>{bars.Title}, {bars.Unit}</caption>
            <thead><tr><th scope="col" colspan="2"></th>{bars.Parts.Zip(Palette.Series, Head)}
            <th scope="col" class="number">all</th></tr></thead>
            <tbody>{bars.Bars.Select(bar => Row(bar, longest))}</tbody></table></div>
            <p class="note">{bars.Unit}</p></figure>

            """
        );
    }

    private static Html Head(string part, string color) =>
        Html.Of($"<th scope=\"col\" class=\"number\"><span class=\"part c-{color}\">{part}</span></th>");

    private static Html Row(StackedBar bar, double longest) =>
        Html.Of(
            $"""
            <tr><th scope="row">{bar.Name}</th>
            <td class="track" aria-hidden="true">{bar.Values.Zip(Palette.Series, (value, color) =>
                Piece(value, color, longest)
            )}</td>
            {bar.Values.Select(value => HtmlTable.Number(value == 0 ? null : value))}{HtmlTable.Number(
                bar.Values.Sum(),
                "",
                "strong"
            )}</tr>

            """
        );

    private static Html Piece(double value, string color, double longest)
    {
        var percent = value > 0 && double.IsFinite(value) && longest > 0 ? 100 * value / longest : 0;
        return Html.Of($"<span class=\"piece c-{color}\" style=\"width:{percent:0.##}%\"></span>");
    }
}
