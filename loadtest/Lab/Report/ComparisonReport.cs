using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using static DroneDelivery.Lab.Report.StageFacts;

namespace DroneDelivery.Lab.Report;

/// <summary>Two runs in one HTML file: settings and metrics that differ, and both curves in one chart.</summary>
/// <exception cref="BadInputException">The runs have no stage in common.</exception>
internal sealed class ComparisonReport(string firstName, RunRecord first, string secondName, RunRecord second)
{
    public const string First = "first",
        Second = "second";

    private readonly string _title = $"{firstName} beside {secondName}";

    public Comparison Comparison { get; } = Comparison.Of(first, second);

    public string Render()
    {
        var stages = Comparison.Pairs(first, second);
        IEnumerable<(string Id, string Name)> pages =
        [
            ("summary", "Summary"),
            .. stages.Select(pair => (IdOf(pair.First), NameOf(pair.First))),
        ];
        var content = Html.Of($"{Summary()}{stages.Select(pair => PageOf(pair.First, pair.Second))}");
        return Page.Render(_title, pages, content).Markup;
    }

    private static string IdOf(StageRecord stage) => $"stage-{stage.Stage}";

    private static string NameOf(StageRecord stage) => $"Stage {stage.Stage} · {stage.Title}";

    private Html Summary() =>
        Page.Section(
            "summary",
            "Comparison",
            _title,
            level: "h1",
            lead: Html.Of(
                $"""
                <p class="answer">{Comparison.Figures.Count} figures differ by more than noise,
                {Comparison.Same} are within noise. {string.Join(' ', Comparison.Caveats)}</p>
                """
            ),
            content: Html.Of(
                $"""
                {HtmlTable.Of(
                    "Played",
                    ["", "name", "outcome", "command"],
                    [Row(First, firstName, first), Row(Second, secondName, second)]
                )}
                {Knobs(Comparison.Knobs)}
                {Figures(Comparison.Figures)}
                """
            )
        );

    private Html PageOf(StageRecord a, StageRecord b) =>
        Page.Section(
            IdOf(a),
            NameOf(a),
            a.Question,
            Html.Of(
                $"""
                {Knobs([.. Comparison.Knobs.Where(knob => knob.Stage == a.Stage)])}
                <div class="charts">{ChartsOf(a, b).Select(chart => SvgChart.Render(chart))}</div>
                {Figures([.. Comparison.Figures.Where(figure => figure.Stage == a.Stage)])}
                """
            )
        );

    private static IReadOnlyList<LineChart> ChartsOf(StageRecord a, StageRecord b)
    {
        LineChart?[] charts =
        [
            Draw(
                a,
                b,
                "throughput",
                "Throughput: messages completed",
                "completed.peak",
                "Best 5 seconds",
                "messages/s",
                bin => bin.Completed
            ),
            Draw(a, b, "outgoing", "Outgoing messages", "outgoing.plateau", "At full load", "messages/s", bin =>
                bin.Outgoing
            ),
            Draw(
                a,
                b,
                "backlog",
                "Messages in the queue",
                "backlog.loadEnd",
                "At the end of the load",
                "messages",
                bin => bin.Backlog
            ),
            Draw(
                a,
                b,
                "nodes",
                "CPU of the busiest node",
                "node.p95",
                "95th percentile of all nodes under load",
                "%",
                RecordCharts.Busiest
            ),
        ];
        return [.. charts.OfType<LineChart>().Where(chart => chart.HasPoints)];
    }

    /// <returns><c>null</c> if one of the runs doesn't have the metric.</returns>
    private static LineChart? Draw(
        StageRecord a,
        StageRecord b,
        string id,
        string title,
        string figure,
        string what,
        string unit,
        Func<Bin, double> value
    ) =>
        Lacks(a, figure) || Lacks(b, figure)
            ? null
            : new(
                $"{id}-{a.Stage}",
                title,
                Both(a, b, figure, what),
                unit,
                [
                    RecordCharts.Rates(First, "backlog", a.Series, value),
                    RecordCharts.Rates(Second, "outgoing", b.Series, value),
                ],
                Marks(a)
            );

    // An interrupted stage has no metrics, but a curve.
    private static bool Lacks(StageRecord stage, string figure) =>
        stage.Figures.Count > 0 && !stage.Figures.ContainsKey(figure);

    private static string Both(StageRecord a, StageRecord b, string figure, string what) =>
        a.Figures.Count == 0 || b.Figures.Count == 0
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

    private static Html Knobs(IReadOnlyList<KnobDifference> knobs) =>
        Html.Of(
            $"""
            <h3>Knobs that differ</h3>
            {(knobs.Count == 0 ? Html.Of($"<p>All are the same.</p>") : HtmlTable.Of(StageTables.Knobs(knobs)))}
            """
        );

    private static Html Figures(IReadOnlyList<FigureDifference> figures) =>
        figures.Count == 0
            ? Html.Of($"<h3>Figures that differ</h3><p>No figure differs by more than noise.</p>")
            : Html.Of(
                $"""
                <h3>Figures that differ</h3>
                <div class="verdicts">{HtmlTable.Of(StageTables.Figures(figures))}</div>
                """
            );
}
