namespace DroneDelivery.Lab.Report;

/// <summary>Bars of one length for each value, below each other: for numbers that belong to names and not to times.</summary>
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

/// <summary>A difference as a dot, beside the band of what noise explains.</summary>
internal static class NoiseBand
{
    private const double Width = 160,
        Height = 16,
        Margin = 5;

    public static Html Render(double? share, double noise) =>
        share is not { } difference
            ? Html.Empty
            : Html.Of(
                $"""<svg class="band" viewBox="0 0 {Width} {Height}" width="{Width}" height="{Height}" aria-hidden="true">"""
                    + $"""<rect x="{At(-noise):0.#}" y="2" width="{At(noise) - At(-noise):0.#}" height="12" rx="2"/>"""
                    + $"""<path d="M{At(0):0.#} 0V{Height}"/>"""
                    + $"""<circle cx="{At(difference):0.#}" cy="{Height / 2}" r="4"/></svg>"""
            );

    private static double At(double share) => Margin + (Math.Clamp(share, -1, 1) + 1) / 2 * (Width - 2 * Margin);
}
