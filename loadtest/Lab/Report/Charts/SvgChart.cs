using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Report;

/// <summary>
/// Writes a chart as an HTML <c>figure</c>. Colors and text sizes come from charts.css, so one drawing fits light and dark, wide, narrow
/// and printed pages. A script adds tooltips, zoom and tables.
/// </summary>
internal static class SvgChart
{
    private const double Top = 34,
        LeftEdge = 46;

    public static Html Render(LineChart chart, Html source = default)
    {
        var plot = PlotOf(chart);
        return Html.Of(
            $"""
            <figure class="chart{(chart.IsWide ? " wide" : "")}" id="{chart.Id}">
            <figcaption id="{chart.Id}-title">{chart.Title}</figcaption>
            <p class="says" id="{chart.Id}-says">{chart.Description}</p>
            {Legend(chart)}
            <svg viewBox="{ViewOf(chart)}" role="img" tabindex="0" aria-labelledby="{chart.Id}-title {chart.Id}-says">
            {Drawing(chart, plot)}
            </svg>
            <script type="application/json" class="data">{ChartData.Of(chart, plot)}</script>
            {source}
            </figure>

            """
        );
    }

    private static string ViewOf(LineChart chart) => chart.IsWide ? "0 0 760 300" : "0 0 560 250";

    private static Plot PlotOf(LineChart chart)
    {
        var (width, height, right) = chart.IsWide ? (760, 300, 62) : (560, 250, 14);
        var area = new Rectangle(LeftEdge, Top, width - LeftEdge - right, height - Top - 30);
        return new(area, Scale.OfTime(chart.XMax, area.Width), Scale.OfValues(chart.YMax, area.Height));
    }

    private static Html Drawing(LineChart chart, Plot plot) =>
        Html.Of(
            $"""
            <title>{chart.Title}</title><desc>{chart.Description}</desc>
            {Axes(chart, plot)}
            {Inside(chart, plot)}
            {Notes(chart, plot)}
            """
        );

    private static Html Legend(LineChart chart) =>
        chart.Lines.Count < 2
            ? Html.Empty
            : Html.Of($"""<ul class="legend">{chart.Lines.Select((line, i) => LegendItem(line, i))}</ul>""");

    private static Html LegendItem(Line line, int i) =>
        Html.Of(
            $"""<li><button type="button" class="{line.Class}" data-line="{i}" aria-pressed="true">{line.Name}</button></li>"""
        );

    private static Html Axes(LineChart chart, Plot plot) =>
        Html.Of(
            $"""
            <g class="axis"><text class="unit" x="0" y="14">{chart.Unit}</text>
            {plot.Grid(Number)}
            <g class="times">{plot.X.Ticks.Select(tick => plot.Below(tick, Clock(tick)))}</g></g>
            """
        );

    /// <summary>Renders the nested drawing whose view the script changes to zoom.</summary>
    private static Html Inside(LineChart chart, Plot plot) =>
        Html.Of(
            $"""
            {InsideTag(plot.Area)}
            {chart.Bands.Select((band, i) => BandArea(band, i, plot))}
            {chart.Marks.Select(mark => MarkLine(mark, plot))}
            {chart.Lines.Select(
                (line, i) => Html.Of($"""<path class="line {line.Class}" data-line="{i}" d="{Path(line, plot)}"/>""")
            )}
            </svg>
            """
        );

    private static Html InsideTag(Rectangle area) =>
        Html.Of(
            $"""<svg class="plot" x="{area.Left}" y="{area.Top}" width="{area.Width:0.#}" height="{area.Height:0.#}" viewBox="0 0 """
                + $"""{area.Width:0.#} {area.Height:0.#}" preserveAspectRatio="none">"""
        );

    private static Html BandArea(Stretch band, int i, Plot plot) =>
        Html.Of(
            $"""<rect class="band{(i % 2 == 0 ? " odd" : "")}" x="{plot.X.Pixels(band.From):0.#}" y="0" """
                + $"""width="{plot.X.Pixels(band.To - band.From):0.#}" height="{plot.Area.Height:0.#}"/>"""
        );

    private static Html MarkLine(Mark mark, Plot plot) =>
        Html.Of(
            $"""<line class="mark" x1="{plot.X.Pixels(mark.X):0.#}" x2="{plot.X.Pixels(mark.X):0.#}" y1="0" y2="{plot.Area.Height:0.#}"/>"""
        );

    private static Html Notes(LineChart chart, Plot plot) =>
        Html.Of(
            $"""
            <g class="notes">
            {chart.Thresholds.Select(threshold => ThresholdLine(threshold, plot))}
            <g class="at-times">
            {chart.Marks.Select(mark => MarkText(mark, plot))}
            {chart.Bands.Select(band => BandText(band, plot))}
            {(
                chart.Lines.FirstOrDefault(line => line.Name == chart.PeakOf) is { Peak: { } peak } line
                    ? Peak(line, peak, plot)
                    : Html.Empty
            )}
            {(chart.IsWide ? EndLabels.Of(chart, plot) : [])}
            </g></g>
            """
        );

    private static Html ThresholdLine(Threshold threshold, Plot plot) =>
        Html.Of(
            $"""<line class="threshold" x1="{plot.Area.Left}" x2="{plot.Right:0.#}" """
                + $"""y1="{plot.AtY(threshold.Y):0.#}" y2="{plot.AtY(threshold.Y):0.#}"/>"""
                + $"""<text class="threshold" x="{plot.Area.Left + 6}" y="{plot.AtY(threshold.Y) - 5:0.#}">{threshold.Text}</text>"""
        );

    private static Html MarkText(Mark mark, Plot plot) =>
        Html.Of(
            $"""<text class="mark" x="{plot.AtX(mark.X) + 4:0.#}" y="{plot.Area.Top - 5:0.#}">{mark.Text}</text>"""
        );

    private static Html BandText(Stretch band, Plot plot) =>
        Html.Of(
            $"""<text class="band" x="{plot.AtX((band.From + band.To) / 2):0.#}" y="{plot.Area.Top + 12:0.#}">{band.Text}</text>"""
        );

    private static Html Peak(Line line, Point peak, Plot plot)
    {
        var isRight = plot.AtX(peak.X) > plot.Right - 40;
        return Html.Of(
            $"""<g class="peak c-{line.Color}"><circle cx="{plot.AtX(peak.X):0.#}" cy="{plot.AtY(peak.Y):0.#}" r="3.5"/>"""
                + $"""<text class="{(isRight ? "before" : "after")}" x="{plot.AtX(peak.X) + (isRight ? -7 : 7):0.#}" """
                + $"""y="{plot.AtY(peak.Y) - 5:0.#}">{Number(peak.Y)}</text></g>"""
        );
    }

    /// <summary>Returns the path, interrupted at NaN.</summary>
    private static string Path(Line line, Plot plot)
    {
        var (path, pen) = (new StringBuilder(), false);
        foreach (var point in line.Points)
        {
            var (x, y) = (plot.X.Pixels(point.X), plot.Area.Height - plot.Y.Pixels(point.Y));
            if (double.IsFinite(y))
            {
                path.Append(
                    !pen ? $"M{x:0.#} {y:0.#}"
                    : line.Step ? $"H{x:0.#}V{y:0.#}"
                    : $"L{x:0.#} {y:0.#}"
                );
            }

            pen = double.IsFinite(y);
        }
        return path.ToString();
    }

    private static string Clock(double seconds) => $"{Math.Floor(seconds / 60):0}:{seconds % 60:00}";

    private static string Number(double value) =>
        value switch
        {
            >= 1_000_000 => $"{value / 1_000_000:0.##}M",
            >= 1_000 => $"{value / 1_000:0.#}k",
            >= 100 => $"{value:0}",
            >= 10 => $"{value:0.#}",
            _ => $"{value:0.##}",
        };
}

/// <summary>Labels at the ends of lines, moved apart if they would overlap.</summary>
internal static class EndLabels
{
    private const double LineHeight = 11;

    public static IEnumerable<Html> Of(LineChart chart, Plot plot)
    {
        var labels = chart
            .Lines.Select((line, i) => (Line: line, Number: i, End: EndOf(line)))
            .Where(label => !double.IsNaN(label.End.Y))
            .OrderBy(label => plot.AtY(label.End.Y))
            .ThenBy(label => label.Number)
            .ToList();
        var places = Apart([.. labels.Select(label => plot.AtY(label.End.Y))], plot.Floor);
        return labels.Select(
            (label, i) =>
                Html.Of(
                    $"""<text class="end c-{label.Line.Color}" data-line="{label.Number}" x="{plot.Right + 6:0.#}" y="{places[i] + 3:0.#}">"""
                        + $"""{label.Line.Name}</text>"""
                )
        );
    }

    private static Point EndOf(Line line) =>
        line.Points.LastOrDefault(point => double.IsFinite(point.Y), new(0, double.NaN));

    /// <summary>Moves labels down until none overlaps, then those below the floor up again.</summary>
    internal static double[] Apart(double[] wanted, double floor)
    {
        var places = wanted.ToArray();
        for (var i = 1; i < places.Length; i++)
            places[i] = Math.Max(places[i], places[i - 1] + LineHeight);
        for (var i = places.Length - 1; i >= 0; i--)
            places[i] = Math.Min(places[i], i == places.Length - 1 ? floor : places[i + 1] - LineHeight);
        return places;
    }
}

/// <summary>The values and positions of a chart as JSON, for the page's script.</summary>
internal static class ChartData
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    /// <remarks>The serializer escapes &lt; and &amp;, so the JSON can't end the script element.</remarks>
    public static Html Of(LineChart chart, Plot plot)
    {
        // Usually all lines have the same times, which are written once.
        var shared = chart.Lines.Count > 0 ? Times(chart.Lines[0]) : [];
        var lines = chart.Lines.Select(line => new LineData(
            line.Name,
            line.Color,
            line.Step ? true : null,
            line.IsDashed ? true : null,
            Times(line).SequenceEqual(shared) ? null : Times(line),
            [.. line.Points.Select(point => double.IsFinite(point.Y) ? Short(point.Y) : (double?)null)]
        ));
        var area = plot.Area;
        return new(
            JsonSerializer.Serialize(
                new
                {
                    unit = chart.Unit,
                    area = new[] { area.Left, area.Top, area.Width, area.Height },
                    xMax = plot.X.Max,
                    yMax = plot.Y.Max,
                    x = shared,
                    lines,
                },
                Options
            )
        );
    }

    private static double[] Times(Line line) => [.. line.Points.Select(point => Math.Round(point.X, 2))];

    private static double Short(double value) => double.Parse($"{value:G4}");

    private sealed record LineData(string Name, string Color, bool? Step, bool? Dashed, double[]? X, double?[] Y);
}
