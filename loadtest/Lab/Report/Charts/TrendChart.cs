namespace DroneDelivery.Lab.Report;

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
