namespace DroneDelivery.Lab.Report;

/// <summary>A horizontal bar chart of named values.</summary>
internal sealed record BarChart(string Title, IReadOnlyList<(string Name, double Value)> Bars)
{
    public Html Render()
    {
        var longest = Bars.Select(bar => Math.Abs(bar.Value)).Where(double.IsFinite).DefaultIfEmpty(0).Max();
        return Html.Of(
            $"""
            <figure class="bars"><figcaption>{Title}</figcaption><ol>{Bars.Select(bar =>
                Item(bar.Name, bar.Value, longest)
            )}</ol></figure>

            """
        );
    }

    private static Html Item(string name, double value, double longest) =>
        Html.Of(
            $"""<li><span class="name">{name}</span><span class="track">"""
                + $"""<span class="bar{(value < 0 ? " below" : "")}" style="width:{Percent(value, longest):0.##}%"></span></span>"""
                + $"""<span class="value">{NumberText.Of(value)}</span></li>"""
        );

    private static double Percent(double value, double longest) =>
        double.IsFinite(value) && longest > 0 ? 100 * Math.Abs(value) / longest : 0;
}
