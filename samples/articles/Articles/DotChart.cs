using DroneDelivery.Lab;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Articles;

internal sealed record Dot(string Name, double X, double Y);

/// <summary>Dots by two values, each with its name.</summary>
/// <param name="Dots">At least one.</param>
internal sealed record DotChart(
    string Id,
    string Title,
    string Says,
    string XName,
    string YName,
    IReadOnlyList<Dot> Dots
)
{
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
            {plot.X.Ticks.Select(tick => plot.Below(tick, NumberText.Of(tick)))}
            {plot.NameBelow(XName)}
            {Dots.Select(dot => Draw(dot, plot))}
            </svg>
            </figure>

            """
        );
    }

    private Plot PlotOf()
    {
        var area = new Rectangle(52, 26, 448, 172);
        var most = Dots.Max(dot => dot.Y);
        return new(
            area,
            Scale.OfValues(Dots.Max(dot => dot.X), area.Width),
            // An axis to 1 if all values are 0.
            Scale.OfValues(most > 0 ? most * 1.05 : 1, area.Height)
        );
    }

    private static Html Draw(Dot dot, Plot plot)
    {
        var (x, y) = (plot.AtX(dot.X), plot.AtY(dot.Y));
        return Html.Of(
            $"""<g class="dot"><title>{dot.Name}: {NumberText.Of(dot.Y)}</title><circle cx="{x:0.#}" cy="{y:0.#}" r="4.5"/>"""
                + $"""<text x="{x + 8:0.#}" y="{y - 6:0.#}">{dot.Name}</text></g>"""
        );
    }
}
