using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Report;

/// <summary>A sweep as a drawing that stands alone: a curve for one knob, a heat map for two, with the cliff marked.</summary>
internal static class SweepDrawing
{
    private const double Left = 64, Top = 46, Wide = 600, High = 300, Right = 26, Bottom = 52, CellWide = 56, CellHigh = 26;

    // Of its own, because an SVG file has no style sheet beside it.
    private static readonly Html Style = new("""
        <style>
        .sweep { background: #fff; } .sweep text { font: 12px system-ui, sans-serif; fill: #4a5361; } .sweep .title { font-weight: 650; fill: #18202c; }
        .sweep .end, .sweep .y { text-anchor: end; } .sweep .mid { text-anchor: middle; } .sweep .grid { stroke: #e6e9ee; }
        .sweep path { fill: none; stroke-width: 2; } .sweep .simulated { stroke: #1b4f9c; } .sweep .formula { stroke: #9a5b00; stroke-dasharray: 6 4; }
        .sweep circle { fill: #1b4f9c; } .sweep circle.lost { fill: #b3263f; } .sweep .cliff { stroke: #b3263f; stroke-dasharray: 3 3; } .sweep .knee { stroke: #4a5361; stroke-dasharray: 2 4; }
        .sweep text.lost { fill: #b3263f; font-weight: 650; } .sweep rect.cell { stroke: #fff; } .sweep rect.lost { stroke: #b3263f; stroke-width: 2; } .sweep text.light { fill: #fff; }
        </style>
        """);

    public static Html Svg(Sweep sweep) => sweep.IsMap ? Map(sweep) : Curve(sweep);

    /// <summary>A page with the drawing, its sentences and its numbers.</summary>
    public static Html Page(Sweep sweep)
    {
        var title = Title(sweep);
        string[] head = [.. sweep.Ranges.Select(range => range.Knob.Name + "#"), "simulated /s#", "formula /s#", "locks lost#", "backlog#",
            "busiest node %#", $"{sweep.Currency} a month#", "what binds, by formulas"];
        var says = sweep.Says.Select(sentence => Html.Of($"<p class=\"answer\">{sentence}</p>"));
        var content = Html.Of($"""
            <figure>{Svg(sweep)}</figure>
            {HtmlTable.Of(Table.Of("Points", head, sweep.Points, Row))}
            <p class="note">Simulated with one seed. Costs are estimates for the month: docs/how-to/planning.md.</p>
            """);
        return Report.Page.Render(
            title, [("sweep", "Sweep")], Report.Page.Section("sweep", Eyebrow(sweep), title, content, Html.Of($"{says}"), "h1"));
    }

    private static Lab.Cell[] Row(SweepPoint point) =>
    [
        .. point.Values.Select(value => Lab.Cell.Of(value)),
        Lab.Cell.Of(point.Rate, tone: point.LosesLocks ? Tone.Bad : Tone.Plain),
        Lab.Cell.Of(point.ByFormula),
        Lab.Cell.Of(point.LocksLost),
        Lab.Cell.Of(point.Backlog),
        Lab.Cell.Of(point.BusiestNode),
        Lab.Cell.Of(double.IsFinite(point.CostPerMonth) ? Math.Round(point.CostPerMonth) : double.NaN),
        point.Refused ?? point.Binds,
    ];

    private static string Title(Sweep sweep) =>
        $"Stage {sweep.Stage.Stage.Id}: {string.Join(" and ", sweep.Ranges.Select(range => range.Knob.Name))}";

    private static string Eyebrow(Sweep sweep) => sweep.Stage.K == 1
        ? "Simulated at full length"
        : $"Simulated, durations and stocks divided by {sweep.Stage.K:0.##}; knobs as typed";

    private static Html Curve(Sweep sweep)
    {
        var range = sweep.Ranges[0];
        var x = Scale.OfValues(range.Values[^1], Wide);
        var y = Scale.OfValues(Highest(sweep), High);
        double AtX(double value) => Left + x.Pixels(value);
        double AtY(double value) => Top + High - y.Pixels(value);
        return Html.Of($"""
            <svg class="sweep" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Left + Wide + Right} {Top + High + Bottom}" width="{Left + Wide + Right}" role="img" aria-labelledby="sweep-drawing">
            {Style}<title id="sweep-drawing">{Title(sweep)}: deliveries completed per second. {string.Join(' ', sweep.Says)}</title>
            <text class="title" x="0" y="14">deliveries/s</text>
            <text class="title end" x="{Left + Wide}" y="{Top + High + 44}">{range.Knob.Name}</text>
            <text x="{Left}" y="34">solid: simulated; dashed: formula; red: locks are lost</text>
            {y.Ticks.Select(tick => SvgChart.GridLine(NumberText.Of(tick), AtY(tick), Left, Left + Wide))}
            {x.Ticks.Select(tick => Column(NumberText.Of(tick), AtX(tick)))}
            {sweep.Edges().Select(edge => Upright("cliff", (AtX(range.Values[edge.Before]) + AtX(range.Values[edge.After])) / 2))}
            {(sweep.Knee is { } knee ? Upright("knee", AtX(range.Values[knee])) : Html.Empty)}
            <path class="formula" d="{SvgChart.Path(sweep.Points.Select(point => new Point(AtX(point.Values[0]), AtY(point.ByFormula))))}"/>
            <path class="simulated" d="{SvgChart.Path(sweep.Points.Select(point => new Point(AtX(point.Values[0]), AtY(point.Rate))))}"/>
            {sweep.Points.Where(point => double.IsFinite(point.Rate)).Select(point => Dot(point, AtX(point.Values[0]), AtY(point.Rate)))}
            </svg>
            """);
    }

    private static Html Dot(SweepPoint point, double x, double y) => Html.Of(
        $"""<circle class="{(point.LosesLocks ? "lost" : "")}" cx="{x:0.#}" cy="{y:0.#}" r="4">"""
        + $"""<title>{NumberText.Of(point.Rate)}/s</title></circle>""");

    private static Html Column(string text, double x) =>
        Html.Of($"""<text class="mid" x="{x:0.#}" y="{Top + High + 20}">{text}</text>""");

    private static Html Upright(string style, double x) =>
        Html.Of($"""<line class="{style}" x1="{x:0.#}" x2="{x:0.#}" y1="{Top}" y2="{Top + High}"/>""");

    /// <summary>The first knob to the right, the second upwards.</summary>
    private static Html Map(Sweep sweep)
    {
        var (columns, rows) = (sweep.Ranges[0].Values.Count, sweep.Ranges[1].Values.Count);
        var (width, height) = (Left + columns * CellWide + Right, Top + rows * CellHigh + Bottom);
        return Html.Of($"""
            <svg class="sweep" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" aria-labelledby="sweep-drawing">
            {Style}<title id="sweep-drawing">{Title(sweep)}: deliveries completed per second. {string.Join(' ', sweep.Says)}</title>
            <text class="title" x="0" y="14">{sweep.Ranges[1].Knob.Name} ↑, {sweep.Ranges[0].Knob.Name} →</text>
            <text x="0" y="34">deliveries/s, simulated; a red frame and ×: locks are lost; empty: cannot be</text>
            {Enumerable.Range(0, rows).Select(row => Html.Of($"""<text class="end" x="{Left - 8}" y="{AtRow(row) + 17}">{sweep.Show(1, row)}</text>"""))}
            {Enumerable.Range(0, columns).Select(column => Html.Of($"""<text class="mid" x="{Left + (column + 0.5) * CellWide}" y="{height - Bottom + 20}">{sweep.Show(0, column)}</text>"""))}
            {Cells()}
            </svg>
            """);

        double AtRow(int row) => Top + (rows - 1 - row) * CellHigh;

        IEnumerable<Html> Cells() =>
            from lost in (bool[])[false, true] // frames over their neighbours
            from column in Enumerable.Range(0, columns)
            from row in Enumerable.Range(0, rows)
            let point = sweep.At(column, row)
            where point.LosesLocks == lost && double.IsFinite(point.Rate)
            select Cell(point, Left + column * CellWide, AtRow(row), point.Rate / Highest(sweep));
    }

    private static Html Cell(SweepPoint point, double x, double y, double share)
    {
        var (lost, text) = (point.LosesLocks ? " lost" : "", NumberText.Of(point.Rate) + (point.LosesLocks ? " ×" : ""));
        return Html.Of(
            $"""<rect class="cell{lost}" x="{x:0.#}" y="{y:0.#}" width="{CellWide - 1}" height="{CellHigh - 1}" fill="{Colour(share)}"/>"""
            + $"""<text class="mid{(share > 0.55 ? " light" : lost)}" x="{x + CellWide / 2:0.#}" y="{y + 17:0.#}">{text}</text>""");
    }

    /// <summary>From white to the blue of charts.</summary>
    private static string Colour(double share)
    {
        var part = Math.Clamp(share, 0, 1);
        return $"rgb({255 - part * 228:0},{255 - part * 176:0},{255 - part * 99:0})";
    }

    private static double Highest(Sweep sweep) => Math.Max(1e-9, sweep.Points
        .SelectMany(point => (double[])[point.Rate, point.ByFormula])
        .Where(double.IsFinite)
        .DefaultIfEmpty(1)
        .Max());
}
