using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Report;

/// <summary>A sweep as a drawing that stands alone: a curve for one knob, a heat map for two, with the cliff marked.</summary>
internal static class SweepDrawing
{
    private const double Left = 64,
        Top = 46,
        Right = 26,
        Bottom = 30,
        CellWide = 56,
        CellHigh = 26;

    public static Html Svg(Sweep sweep) =>
        sweep.IsMap ? SvgChart.Alone("", WidthOf(sweep), ViewOf(sweep), Map(sweep)) : SvgChart.Alone(Curve(sweep));

    /// <summary>A page with the drawing, its sentences and its numbers.</summary>
    public static Html Page(Sweep sweep)
    {
        var title = Title(sweep);
        string[] head =
        [
            .. sweep.Ranges.Select(range => range.Knob.Name + "#"),
            "simulated /s#",
            "formula /s#",
            "locks lost#",
            "backlog#",
            "busiest node %#",
            "what binds, by formulas",
        ];
        var says = sweep.Says.Select(sentence => Html.Of($"<p class=\"answer\">{sentence}</p>"));
        var content = Html.Of(
            $"""
            {(sweep.IsMap
                ? Html.Of($"<figure class=\"cells\">{Svg(sweep)}</figure>")
                : SvgChart.Render(Curve(sweep)))}
            {HtmlTable.Of(Table.Of("Points", head, sweep.Points, Row))}
            <p class="note">Simulated with one seed.</p>
            """
        );
        return Report.Page.Render(
            title,
            [("sweep", "Sweep")],
            Report.Page.Section("sweep", Eyebrow(sweep), title, content, Html.Of($"{says}"), "h1")
        );
    }

    private static Lab.Cell[] Row(SweepPoint point) =>
        [
            .. point.Values.Select(value => Lab.Cell.Of(value)),
            Lab.Cell.Of(point.Rate, tone: point.LosesLocks ? Tone.Bad : Tone.Plain),
            Lab.Cell.Of(point.Formula),
            Lab.Cell.Of(point.LocksLost),
            Lab.Cell.Of(point.Backlog),
            Lab.Cell.Of(point.BusiestNode),
            point.Refused ?? point.Binds,
        ];

    private static string Title(Sweep sweep) =>
        $"Stage {sweep.Stage.Stage.Id}: {string.Join(" and ", sweep.Ranges.Select(range => range.Knob.Name))}";

    private static string Eyebrow(Sweep sweep) =>
        sweep.Stage.K == 1
            ? "Simulated at full length"
            : $"Simulated, durations and stocks divided by {sweep.Stage.K:0.##}; knobs as typed";

    private static LineChart Curve(Sweep sweep)
    {
        var values = sweep.Ranges[0].Values;
        return new(
            "curve",
            "Deliveries completed",
            "Once all users are active, by one value of the knob after the other.",
            "deliveries/s",
            [
                new("formula", "backlog", [.. sweep.Points.Select(point => new Point(point.Values[0], point.Formula))])
                {
                    IsDashed = true,
                },
                new("simulated", "outgoing", [.. sweep.Points.Select(point => new Point(point.Values[0], point.Rate))]),
            ],
            [
                .. sweep.Edges().Select(edge => new Mark(Cliff(edge), "cliff")),
                .. sweep.Knee is { } knee ? [new Mark(values[knee], "grows no more")] : Array.Empty<Mark>(),
            ]
        )
        {
            XName = sweep.Ranges[0].Knob.Name,
            IsWide = true,
            Bands = [.. Lost()],
        };

        double Cliff((int Before, int After) edge) => (values[edge.Before] + values[edge.After]) / 2;

        IEnumerable<Stretch> Lost()
        {
            double[] ends = [values[0], .. sweep.Edges().Select(Cliff), values[^1]];
            var first = sweep.Points.First(point => point.Refused is null).LosesLocks ? 0 : 1;
            for (var i = first; i < ends.Length - 1; i += 2)
                yield return new(ends[i], ends[i + 1], "locks are lost");
        }
    }

    private static double WidthOf(Sweep sweep) => Left + sweep.Ranges[0].Values.Count * CellWide + Right;

    private static string ViewOf(Sweep sweep) =>
        $"0 0 {WidthOf(sweep)} {Top + sweep.Ranges[1].Values.Count * CellHigh + Bottom}";

    /// <summary>The first knob to the right, the second upwards.</summary>
    private static Html Map(Sweep sweep)
    {
        var (columns, rows) = (sweep.Ranges[0].Values.Count, sweep.Ranges[1].Values.Count);
        var highest = sweep.Points.Select(point => point.Rate).Where(double.IsFinite).Append(1e-9).Max();
        return Html.Of(
            $"""
            <title>{Title(sweep)}: deliveries completed per second. {string.Join(' ', sweep.Says)}</title>
            <g class="cells">
            <text x="0" y="14">{sweep.Ranges[1].Knob.Name} ↑, {sweep.Ranges[0].Knob.Name} →</text>
            <text x="0" y="34">deliveries/s, simulated; a red frame and ×: locks are lost; empty: cannot be</text>
            {Enumerable.Range(0, rows).Select(row => Label("end", Left - 8, AtRow(row) + 17, sweep.Show(1, row)))}
            {Enumerable.Range(0, columns).Select(it =>
                Label("mid", AtColumn(it) + CellWide / 2, AtRow(-1) + 20, sweep.Show(0, it))
            )}
            {Cells()}
            </g>
            """
        );

        double AtColumn(int column) => Left + column * CellWide;

        double AtRow(int row) => Top + (rows - 1 - row) * CellHigh;

        IEnumerable<Html> Cells() =>
            from lost in (bool[])[false, true] // frames over their neighbors
            from column in Enumerable.Range(0, columns)
            from row in Enumerable.Range(0, rows)
            let point = sweep.At(column, row)
            where point.LosesLocks == lost && double.IsFinite(point.Rate)
            select Cell(point, AtColumn(column), AtRow(row), point.Rate / highest);
    }

    private static Html Cell(SweepPoint point, double x, double y, double share)
    {
        var (lost, text) = (
            point.LosesLocks ? " lost" : "",
            NumberText.Of(point.Rate) + (point.LosesLocks ? " ×" : "")
        );
        return Html.Of(
            $"""<rect class="cell{lost}" x="{x:0.#}" y="{y:0.#}" width="{CellWide - 1}" height="{CellHigh - 1}" fill="{Color(share)}"/>"""
                + $"{Label($"mid{(share > 0.55 ? " light" : lost)}", x + CellWide / 2, y + 17, text)}"
        );
    }

    private static Html Label(string style, double x, double y, string text) =>
        Html.Of($"""<text class="{style}" x="{x:0.#}" y="{y:0.#}">{text}</text>""");

    /// <summary>From white to the blue of charts.</summary>
    private static string Color(double share)
    {
        var part = Math.Clamp(share, 0, 1);
        return $"rgb({255 - part * 228:0},{255 - part * 176:0},{255 - part * 99:0})";
    }
}
