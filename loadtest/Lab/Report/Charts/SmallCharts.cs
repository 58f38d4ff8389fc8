namespace DroneDelivery.Lab.Report;

/// <summary>Bars of one length for each value, below each other: for numbers that belong to names and not to times.</summary>
internal sealed record BarChart(string Title, IReadOnlyList<(string Name, double Value)> Bars)
{
    public Html Render()
    {
        var longest = Bars.Select(bar => Math.Abs(bar.Value)).Where(double.IsFinite).DefaultIfEmpty(0).Max();
        return Html.Of($"""
            <figure class="bars"><figcaption>{Title}</figcaption><ol>{Bars.Select(bar => Item(bar.Name, bar.Value, longest))}</ol></figure>

            """);
    }

    private static Html Item(string name, double value, double longest) => Html.Of(
        $"""<li><span class="name">{name}</span><span class="track">"""
        + $"""<span class="bar{(value < 0 ? " below" : "")}" style="width:{Percent(value, longest):0.##}%"></span></span>"""
        + $"""<span class="value">{NumberText.Of(value)}</span></li>""");

    private static double Percent(double value, double longest) =>
        double.IsFinite(value) && longest > 0 ? 100 * Math.Abs(value) / longest : 0;
}

/// <summary>A difference as a dot, beside the band of what noise explains.</summary>
internal static class NoiseBand
{
    private const double Width = 160, Height = 16, Margin = 5;

    public static Html Render(double? share, double noise) => share is not { } difference ? Html.Empty : Html.Of(
        $"""<svg class="band" viewBox="0 0 {Width} {Height}" width="{Width}" height="{Height}" aria-hidden="true">"""
        + $"""<rect x="{At(-noise):0.#}" y="2" width="{At(noise) - At(-noise):0.#}" height="12" rx="2"/>"""
        + $"""<path d="M{At(0):0.#} 0V{Height}"/>"""
        + $"""<circle cx="{At(difference):0.#}" cy="{Height / 2}" r="4"/></svg>""");

    private static double At(double share) => Margin + (Math.Clamp(share, -1, 1) + 1) / 2 * (Width - 2 * Margin);
}

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

/// <summary>One measurement among others of its kind.</summary>
/// <param name="Noise">By which it may be off in 95 of 100 cases.</param>
/// <param name="IsChanged">Whether something had been turned: it is not comparable without looking.</param>
internal sealed record TrendPoint(string Name, DateTimeOffset At, double Value, double Noise, bool IsChanged);

/// <summary>Measurements in the order of time, each with its interval, and what was predicted as a dashed line.</summary>
/// <param name="Points">At least one; oldest first.</param>
/// <param name="Predicted">Null: nobody predicts it.</param>
internal sealed record TrendChart(string Id, string Title, string Says, string Unit, IReadOnlyList<TrendPoint> Points, double? Predicted)
{
    private const double Left = 52, Top = 24, Wide = 400, High = 130, Right = 12, Bottom = 26;

    public Html Render()
    {
        var most = Points.Select(point => point.Value + point.Noise).Append(Predicted ?? 0).Max();
        // Where all are 0, as they should be of what was lost, an axis to 1 shows it.
        var y = Scale.OfValues(most > 0 ? most * 1.05 : 1, High);
        return Html.Of($"""
            <figure class="trend" id="{Id}">
            <figcaption id="{Id}-title">{Title}</figcaption>
            <p class="says" id="{Id}-says">{Says}</p>
            <svg viewBox="0 0 {Left + Wide + Right} {Top + High + Bottom}" role="img" aria-labelledby="{Id}-title {Id}-says">
            <text class="unit" x="0" y="12">{Unit}</text>
            {y.Ticks.Select(tick => SvgChart.GridLine(NumberText.Of(tick), At(tick), Left, Left + Wide))}
            {(Predicted is { } predicted ? Line(At(predicted)) : Html.Empty)}
            {Date(Points[0], Left, "start")}{(Points.Count > 1 ? Date(Points[^1], Left + Wide, "end") : Html.Empty)}
            {Points.Select((point, i) => Dot(point, Left + Wide * (i + 0.5) / Points.Count, At))}
            </svg>
            </figure>

            """);

        double At(double value) => Top + High - y.Pixels(Math.Max(0, value));
    }

    private static Html Date(TrendPoint point, double x, string anchor) => Html.Of(
        $"""<text x="{x}" y="{Top + High + 18}" text-anchor="{anchor}">{point.At.UtcDateTime:yyyy-MM-dd}</text>""");

    private static Html Line(double y) =>
        Html.Of($"""<line class="predicted" x1="{Left}" x2="{Left + Wide}" y1="{y:0.#}" y2="{y:0.#}"/>""");

    private static Html Dot(TrendPoint point, double x, Func<double, double> at) => Html.Of(
        $"""<g class="point{(point.IsChanged ? " changed" : "")}">"""
        + $"""<title>{point.Name}: {NumberText.Of(point.Value)} ± {NumberText.Of(point.Noise)}</title>"""
        + $"""<path d="M{x:0.#} {at(point.Value - point.Noise):0.#}V{at(point.Value + point.Noise):0.#}"/>"""
        + $"""<circle cx="{x:0.#}" cy="{at(point.Value):0.#}" r="4"/></g>""");
}
