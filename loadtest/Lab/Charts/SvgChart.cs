using System.Globalization;
using System.Net;
using System.Text;

namespace DroneDelivery.Lab.Charts;

/// <summary>
/// Writes a chart as an HTML <c>figure</c>: caption, SVG, legend. Colours and text sizes come from <see cref="ChartStyle"/>, so that one
/// drawing serves light and dark pages, wide and narrow ones.
/// </summary>
internal static class SvgChart
{
    private const double Width = 720, Height = 300, Left = 64, Right = 12, Top = 14, Bottom = 44;

    public static string Render(LineChart chart)
    {
        var x = Scale.OfTime(chart.XMax, Width - Left - Right);
        var y = Scale.OfValues(chart.YMax, Height - Top - Bottom);
        var html = new StringBuilder();
        html.AppendLine(Invariant($"<figure class=\"chart\"><figcaption>{Text(chart.Title)}</figcaption>"));
        html.AppendLine(Invariant($"<svg viewBox=\"0 0 {Width} {Height}\" role=\"img\" aria-labelledby=\"{chart.Id}-title {chart.Id}-desc\">"));
        html.AppendLine(Invariant($"<title id=\"{chart.Id}-title\">{Text(chart.Title)}</title><desc id=\"{chart.Id}-desc\">{Text(chart.Description)}</desc>"));
        AppendAxes(html, chart, x, y);
        foreach (var mark in chart.Marks)
            AppendMark(html, mark, x);
        foreach (var line in chart.Lines)
            html.AppendLine(Invariant($"<path class=\"line {line.Colour}\" d=\"{Path(line, x, y)}\"/>"));
        html.AppendLine("</svg>");
        AppendLegend(html, chart.Lines);
        return html.Append("</figure>").AppendLine().ToString();
    }

    private static void AppendAxes(StringBuilder html, LineChart chart, Scale x, Scale y)
    {
        html.AppendLine("<g class=\"axis\">");
        foreach (var tick in y.Ticks)
        {
            var at = Height - Bottom - y.Pixels(tick);
            html.AppendLine(Invariant($"<line class=\"grid\" x1=\"{Left}\" x2=\"{Width - Right}\" y1=\"{at:0.#}\" y2=\"{at:0.#}\"/><text class=\"y\" x=\"{Left - 8}\" y=\"{at + 4:0.#}\">{Number(tick)}</text>"));
        }

        foreach (var tick in x.Ticks)
            html.AppendLine(Invariant($"<text class=\"x\" x=\"{Left + x.Pixels(tick):0.#}\" y=\"{Height - Bottom + 22}\">{Clock(tick)}</text>"));
        html.AppendLine(Invariant($"<text class=\"label\" x=\"{Left + 6}\" y=\"{Top + 10}\">{Text(chart.YLabel)}</text>"));
        html.AppendLine("</g>");
    }

    private static void AppendMark(StringBuilder html, Mark mark, Scale x)
    {
        var at = Left + x.Pixels(mark.X);
        html.AppendLine(Invariant($"<line class=\"mark\" x1=\"{at:0.#}\" x2=\"{at:0.#}\" y1=\"{Top}\" y2=\"{Height - Bottom}\"/><text class=\"mark\" x=\"{at - 5:0.#}\" y=\"{Top + 10}\">{Text(mark.Text)}</text>"));
    }

    private static string Path(Line line, Scale x, Scale y)
    {
        var path = new StringBuilder();
        var pen = false;
        foreach (var point in line.Points)
        {
            if (!double.IsFinite(point.Y))
            {
                pen = false;
                continue;
            }

            var (px, py) = (Left + x.Pixels(point.X), Height - Bottom - y.Pixels(point.Y));
            path.Append(!pen ? Invariant($"M{px:0.#} {py:0.#}") : line.Step ? Invariant($"H{px:0.#}V{py:0.#}") : Invariant($"L{px:0.#} {py:0.#}"));
            pen = true;
        }

        return path.ToString();
    }

    private static void AppendLegend(StringBuilder html, IReadOnlyList<Line> lines)
    {
        html.Append("<ul class=\"legend\">");
        foreach (var line in lines)
            html.Append(Invariant($"<li><span class=\"swatch {line.Colour}\"></span>{Text(line.Name)}</li>"));
        html.AppendLine("</ul>");
    }

    /// <summary>Seconds as minutes and seconds.</summary>
    private static string Clock(double seconds) => Invariant($"{Math.Floor(seconds / 60):0}:{seconds % 60:00}");

    private static string Number(double value) => value >= 10_000 ? Invariant($"{value / 1000:0.#}k") : Invariant($"{value:0.##}");

    private static string Text(string text) => WebUtility.HtmlEncode(text);

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
