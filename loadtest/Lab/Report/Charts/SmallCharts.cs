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

/// <summary>A value with a name.</summary>
/// <param name="Noise">By which it may be off in 95 of 100 cases; 0: nobody says.</param>
/// <param name="IsChanged">Whether something had been turned: it is not comparable without looking.</param>
internal sealed record Dot(string Name, double X, double Y, double Noise = 0, bool IsChanged = false);

/// <summary>Dots by two values, each with its name; or measurements of one thing beside each other, each with its interval.</summary>
/// <param name="XName">What the axis counts from left to right; null: the order of the dots, from 0.</param>
/// <param name="Dots">At least one.</param>
internal sealed record DotChart(
    string Id,
    string Title,
    string Says,
    string? XName,
    string YName,
    IReadOnlyList<Dot> Dots
)
{
    /// <summary>Below the first dot and the last.</summary>
    public (string First, string Last) Ends { get; init; }

    /// <summary>A dashed line; null: nobody predicts it.</summary>
    public double? Predicted { get; init; }

    public Html Render()
    {
        var plot = PlotOf();
        return Html.Of(
            $"""
            <figure class="dots" id="{Id}">
            <figcaption id="{Id}-title">{Title}</figcaption>
            <p class="says" id="{Id}-says">{Says}</p>
            <svg viewBox="0 0 560 240" role="img" aria-labelledby="{Id}-title {Id}-says">
            <text class="unit" x="0" y="12">{YName}</text>
            {plot.Grid(NumberText.Of)}
            {(
                Predicted is { } value
                    ? Line("predicted", plot.Area.Left, plot.AtY(value), $"H{plot.Right}")
                    : Html.Empty
            )}
            {Below(plot)}
            {Dots.Select(dot => Draw(dot, plot))}
            </svg>
            </figure>

            """
        );
    }

    private Plot PlotOf()
    {
        var area = new Rectangle(52, 26, 448, 172);
        var most = Dots.Select(dot => dot.Y + dot.Noise).Append(Predicted ?? 0).Max();
        return new(
            area,
            XName is null
                ? new(Dots.Count, Dots.Count, area.Width)
                : Scale.OfValues(Dots.Max(dot => dot.X), area.Width),
            // Where all are 0, as they should be of what was lost, an axis to 1 shows it.
            Scale.OfValues(most > 0 ? most * 1.05 : 1, area.Height)
        );
    }

    private IEnumerable<Html> Below(Plot plot) =>
        XName is not null
            ? [.. plot.X.Ticks.Select(tick => plot.Below(tick, NumberText.Of(tick))), plot.NameBelow(XName)]
        : Dots.Count == 1 ? [plot.Below(0.5, Ends.First)]
        : [plot.Below(0.5, Ends.First), plot.Below(Dots.Count - 0.5, Ends.Last)];

    private Html Draw(Dot dot, Plot plot)
    {
        var (x, y) = (plot.AtX(XName is null ? dot.X + 0.5 : dot.X), plot.AtY(dot.Y));
        var interval =
            dot.Noise > 0
                ? Line("interval", x, plot.AtY(Math.Max(0, dot.Y - dot.Noise)), $"V{plot.AtY(dot.Y + dot.Noise):0.#}")
                : Html.Empty;
        return Html.Of(
            $"""<g class="dot{(dot.IsChanged ? " changed" : "")}"><title>{dot.Name}: {Text(dot)}</title>{interval}"""
                + $"""<circle cx="{x:0.#}" cy="{y:0.#}" r="4.5"/>"""
                + $"""<text x="{x + 8:0.#}" y="{y - 6:0.#}">{(XName is null ? "" : dot.Name)}</text></g>"""
        );
    }

    private static string Text(Dot dot) =>
        NumberText.Of(dot.Y) + (dot.Noise > 0 ? $" ± {NumberText.Of(dot.Noise)}" : "");

    private static Html Line(string style, double x, double y, string to) =>
        Html.Of($"""<path class="{style}" d="M{x:0.#} {y:0.#}{to}"/>""");
}
