using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using static DroneDelivery.Lab.Report.StageFacts;

namespace DroneDelivery.Lab.Report;

/// <summary>Two runs as one HTML file: the stages of both on one axis, what was changed between them, and which figures moved.</summary>
/// <param name="firsts">Runs that were played alike; the first of them is drawn.</param>
internal sealed class ComparisonReport(
    string firstName, IReadOnlyList<RunRecord> firsts, string secondName, IReadOnlyList<RunRecord> seconds)
{
    private readonly RunRecord _first = firsts[0], _second = seconds[0];

    private const string First = "first", Second = "second";

    private static readonly Html BandNote = new(
        "The band is the difference that noise explains in 95 of 100 cases: the chance of the events behind a figure, or the spread of "
            + "runs that were repeated. The dot is the measured difference. The scale ends at ±100 %.");

    /// <exception cref="BadInputException">No stage is in both.</exception>
    public Comparison Comparison { get; } = Judge.Comparison.Of(firsts, seconds);

    public string Render()
    {
        var pairs = Judge.Comparison.Pairs(_first, _second);
        IEnumerable<(string Id, string Name)> pages =
        [
            ("summary", "Summary"),
            .. pairs.Select(pair => ($"stage-{pair.First.Stage}", $"{pair.First.Stage} {pair.First.Title}")),
        ];
        var stages = pairs.Select(pair => StageOf(pair.First, pair.Second));
        return Page.Render($"{firstName} beside {secondName}", pages, Html.Of($"{Summary()}{stages}")).Markup;
    }

    private Html Summary() => Page.Section("summary", "Two runs", $"{firstName} beside {secondName}", level: "h1", lead: Html.Of($"""
        <p class="answer">{Comparison.Figures.Count} figures differ by more than noise,
        {Comparison.Same} are within noise.{Caveat()}</p>
        """), content: Html.Of($"""
        {HtmlTable.Of("Runs", ["", "run", "outcome", "command"], [Row(First, firstName, _first), Row(Second, secondName, _second)])}
        <h3>Knobs that differ</h3>
        {Knobs(Comparison.Knobs)}
        <h3>Figures that differ</h3>
        {Figures(Comparison.Figures)}
        """));

    private string Caveat() => _first.K == _second.K ? "" : " The runs are of different length: only rates can be compared.";

    private Html StageOf(StageRecord a, StageRecord b) => Page.Section(
        $"stage-{a.Stage}", $"Stage {a.Stage} · {a.Title}", a.Question, Html.Of($"""
        <h3>Knobs that differ</h3>
        {Knobs([.. Comparison.Knobs.Where(knob => knob.Stage == a.Stage)])}
        <h3>Rates, queue and nodes</h3>
        <div class="charts">{Charts(a, b).Select(chart => SvgChart.Render(chart))}</div>
        <h3>Figures that differ</h3>
        {Figures([.. Comparison.Figures.Where(figure => figure.Stage == a.Stage)])}
        """));

    private static IEnumerable<LineChart> Charts(StageRecord a, StageRecord b)
    {
        LineChart?[] charts =
        [
            Draw(a, b, "throughput", "Throughput: messages completed", "completed.peak", "Best 5 seconds", "messages/s",
                bin => bin.Completed),
            Draw(a, b, "outgoing", "Outgoing messages", "outgoing.plateau", "Once all users are active", "messages/s",
                bin => bin.Outgoing),
            Draw(a, b, "backlog", "Messages in the queue", "backlog.loadEnd", "When the load ended", "messages", bin => bin.Backlog),
            Draw(a, b, "nodes", "CPU of the busiest node", "node.p95", "95th percentile of all nodes under load", "%",
                RecordCharts.Busiest),
        ];
        return charts.OfType<LineChart>().Where(chart => chart.HasPoints);
    }

    /// <returns>Null where one of the runs does not know the figure: there is nothing to compare.</returns>
    private static LineChart? Draw(
        StageRecord a, StageRecord b, string id, string title, string figure, string what, string unit, Func<Bin, double> value) =>
        Lacks(a, figure) || Lacks(b, figure) ? null : new(
            $"{id}-{a.Stage}", title, Both(a, b, figure, what), unit,
            [RecordCharts.Rates(First, "backlog", a.Series, value), RecordCharts.Rates(Second, "outgoing", b.Series, value)],
            Marks(a));

    // A stage that was broken off has no figures, and a line until there.
    private static bool Lacks(StageRecord stage, string figure) => stage.Figures.Count > 0 && !stage.Figures.ContainsKey(figure);

    private static string Both(StageRecord a, StageRecord b, string figure, string what) => a.Figures.Count == 0 || b.Figures.Count == 0
        ? ""
        : $"{what}: {Measured(a, figure)} in the first, {Measured(b, figure)} in the second.";

    private static string Measured(StageRecord stage, string figure) =>
        NumberText.Of(Figure(stage, figure)) + FigureTable.Find(figure).Unit;

    private static IEnumerable<Html> Row(string which, string name, RunRecord run) =>
    [
        Html.Of($"<th scope=\"row\">{which}</th>"),
        HtmlTable.Cell(name),
        Html.Of($"<td>{Verdicts.Badge(run.Outcome)}</td>"),
        Html.Of($"<td><code>{run.Command}</code></td>"),
    ];

    private static Html Knobs(IReadOnlyList<KnobDifference> knobs) => knobs.Count == 0
        ? Html.Of($"<p>All are the same.</p>")
        : HtmlTable.Of(StageTables.Knobs(knobs));

    private static Html Figures(IReadOnlyList<FigureDifference> figures)
    {
        if (figures.Count == 0)
            return Html.Of($"<p>No figure differs by more than noise.</p>");
        var table = HtmlTable.Of(
            StageTables.Figures(figures), i => NoiseBand.Render(figures[i].Share, figures[i].Noise / Math.Abs(figures[i].First)));
        return Html.Of($"""
            <p class="note">{BandNote}</p>
            <div class="verdicts">{table}</div>
            """);
    }
}
