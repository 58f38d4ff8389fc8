namespace DroneDelivery.Lab.Report;

/// <summary>Values of two knobs against each other, coloured by their order of magnitude.</summary>
/// <param name="Values">A row for each of the rows, in it a value for each of the columns; null: not measured.</param>
internal sealed record HeatMap(
    string Title,
    string Says,
    string Unit,
    string ColumnName,
    IReadOnlyList<string> Columns,
    string RowName,
    IReadOnlyList<string> Rows,
    IReadOnlyList<IReadOnlyList<double?>> Values)
{
    /// <summary>As a table, so that everybody can read it: a cell says its value, its colour the order of magnitude.</summary>
    public Html Render()
    {
        var values = Values.SelectMany(row => row).OfType<double>().Where(value => value > 0).ToList();
        var (low, high) = values.Count == 0 ? (1, 1) : (Math.Log(values.Min()), Math.Log(values.Max()));
        return Html.Of($"""
            <figure class="heat"><figcaption>{Title}</figcaption><p class="says">{Says}</p>
            <div class="scroll"><table><caption>{Title}, {Unit}</caption>
            <thead><tr><th scope="col">{RowName} ↓ {ColumnName} →</th>{Columns.Select(Head)}</tr></thead>
            <tbody>{Rows.Zip(Values, (name, row) => Row(name, row, low, high))}</tbody></table></div>
            <p class="note">{Unit}; the darker, the more.</p></figure>

            """);
    }

    private static Html Head(string column) => Html.Of($"<th scope=\"col\" class=\"number\">{column}</th>");

    private static Html Row(string name, IReadOnlyList<double?> values, double low, double high) =>
        Html.Of($"<tr><th scope=\"row\">{name}</th>{values.Select(value => Cell(value, low, high))}</tr>\n");

    private static Html Cell(double? value, double low, double high)
    {
        if (value is not { } known)
            return Html.Of($"<td></td>");
        var heat = high > low && known > 0 ? 100 * (Math.Log(known) - low) / (high - low) : 0;
        return Html.Of($"<td class=\"number\" style=\"--heat:{heat:0}%\">{NumberText.Of(known)}</td>");
    }
}

/// <summary>Values that are sums: a bar for each, of one piece for each part.</summary>
/// <param name="Parts">In the order in which they are stacked.</param>
internal sealed record StackedBars(string Title, string Says, string Unit, IReadOnlyList<string> Parts, IReadOnlyList<StackedBar> Bars)
{
    /// <summary>As a table, so that everybody can read them: pieces are drawn, and numbers beside them.</summary>
    public Html Render()
    {
        var longest = Bars.Select(Total).DefaultIfEmpty(0).Max();
        return Html.Of($"""
            <figure class="stacks"><figcaption>{Title}</figcaption><p class="says">{Says}</p>
            <div class="scroll"><table><caption>{Title}, {Unit}</caption>
            <thead><tr><th scope="col" colspan="2"></th>{Parts.Zip(Palette.Series, Head)}
            <th scope="col" class="number">all</th></tr></thead>
            <tbody>{Bars.Select(bar => Row(bar, longest))}</tbody></table></div>
            <p class="note">{Unit}</p></figure>

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

/// <param name="Values">Of each part; one that it does not have is zero.</param>
internal sealed record StackedBar(string Name, IReadOnlyList<double> Values);
