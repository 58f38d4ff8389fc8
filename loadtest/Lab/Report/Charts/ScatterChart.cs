namespace DroneDelivery.Lab.Report;

/// <summary>Named points by two values, for what has a price: the nearer to the corner, the better.</summary>
internal sealed record ScatterChart(
    string Id, string Title, string Says, string XName, string YName, IReadOnlyList<(string Name, double X, double Y)> Points)
{
    private const double Left = 46, Top = 26, Right = 60, Bottom = 40, Wide = 454, High = 190;

    public Html Render()
    {
        var (x, y) = (Scale.OfValues(Points.Max(point => point.X), Wide), Scale.OfValues(Points.Max(point => point.Y), High));
        return Html.Of($"""
            <figure class="scatter" id="{Id}">
            <figcaption id="{Id}-title">{Title}</figcaption>
            <p class="says" id="{Id}-says">{Says}</p>
            <svg viewBox="0 0 {Left + Wide + Right} {Top + High + Bottom}" role="img" aria-labelledby="{Id}-title {Id}-says">
            <text class="unit" x="0" y="12">{YName}</text>
            <text class="unit end" x="{Left + Wide}" y="{Top + High + 36}">{XName}</text>
            {y.Ticks.Select(tick => SvgChart.GridLine(NumberText.Of(tick), Top + High - y.Pixels(tick), Left, Left + Wide))}
            {x.Ticks.Select(tick => Column(tick, Left + x.Pixels(tick)))}
            {Points.Select(point => Dot(point.Name, Left + x.Pixels(point.X), Top + High - y.Pixels(point.Y)))}
            </svg>
            </figure>

            """);
    }

    private static Html Column(double tick, double x) =>
        Html.Of($"""<text class="x" x="{x:0.#}" y="{Top + High + 18}">{NumberText.Of(tick)}</text>""");

    private static Html Dot(string name, double x, double y) => Html.Of(
        $"""<g class="dot"><circle cx="{x:0.#}" cy="{y:0.#}" r="4.5"/><text x="{x + 8:0.#}" y="{y - 6:0.#}">{name}</text></g>""");
}
