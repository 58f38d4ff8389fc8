using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Two records as one HTML file: what was changed, which figures moved, and the lines of both on one axis.</summary>
internal sealed class ExperimentComparisonReport(
    string firstName, IReadOnlyList<ExperimentRecord> first, string secondName, IReadOnlyList<ExperimentRecord> second)
{
    private const string First = "first", Second = "second";

    /// <exception cref="BadInputException">They have nothing in common.</exception>
    public ExperimentComparison Comparison { get; } = ExperimentComparison.Of(first, second);

    public string Render()
    {
        var pairs = ExperimentComparison.Pairs(first, second);
        var pages = pairs.Select(pair => (pair.First.Name, Experiment.Load(pair.First.Name).Title));
        return Page.Render($"{firstName} beside {secondName}", pages, Html.Of($"{pairs.Select(PageOf)}")).Markup;
    }

    private Html PageOf((ExperimentRecord First, ExperimentRecord Second) pair) => Html.Of($"""
        <section class="page" id="{pair.First.Name}" aria-labelledby="{pair.First.Name}-title">
        <header><p class="eyebrow">Two records of {pair.First.Name}</p>
        <h2 id="{pair.First.Name}-title">{firstName} beside {secondName}</h2>
        <p class="answer">{Answer(pair.First.Name)}</p></header>
        {HtmlTable.Of("Records", ["", "folder", "outcome", "command"], [Row(First, firstName, pair.First), Row(Second, secondName, pair.Second)])}
        <h3>Knobs that differ</h3>
        {Knobs([.. Comparison.Knobs.Where(knob => knob.Experiment == pair.First.Name)])}
        <h3>Figures that differ</h3>
        {Figures([.. Comparison.Figures.Where(figure => figure.Experiment == pair.First.Name)])}
        {ExperimentComparison.VariantPairs(pair.First, pair.Second).Select(variants => Charts(pair.First.Name, variants))}
        </section>

        """);

    private string Answer(string experiment)
    {
        var apart = Comparison.Figures.Count(figure => figure.Experiment == experiment);
        return $"{apart} figures differ.{string.Concat(Comparison.Caveats.Select(caveat => " " + caveat))}";
    }

    private static Html Charts(string experiment, (VariantRecord First, VariantRecord Second) pair)
    {
        var charts = pair.First.Exhibits.Charts.Join(
            pair.Second.Exhibits.Charts, chart => chart.Title, chart => chart.Title, (a, b) => (a, b)).ToList();
        return charts.Count == 0 ? Html.Empty : Html.Of($"""
            <h3>{pair.First.Title}</h3>
            <div class="charts">{charts.Select((both, i) => Render($"{experiment}-{pair.First.Name}-{i}", both.a, both.b))}</div>

            """);
    }

    private static Html Render(string id, ExperimentChart a, ExperimentChart b) => SvgChart.Render(new(
        id, a.Title, $"First: {a.Says} Second: {b.Says}", a.Unit, Palette.Paint([.. Lines(First, a), .. Lines(Second, b)]), []));

    private static IEnumerable<Line> Lines(string which, ExperimentChart chart) =>
        chart.Lines.Select(line => ExperimentReport.LineOf(line) with { Name = chart.Lines.Count == 1 ? which : $"{which}, {line.Name}" });

    private static IEnumerable<Html> Row(string which, string name, ExperimentRecord record) =>
    [
        Html.Of($"<th scope=\"row\">{which}</th>"),
        HtmlTable.Cell(name),
        HtmlTable.Cell(record.Outcome),
        Html.Of($"<td><code>{record.Command}</code></td>"),
    ];

    private static Html Knobs(IReadOnlyList<ExperimentKnobDifference> knobs) => knobs.Count == 0
        ? Html.Of($"<p>All are the same.</p>")
        : HtmlTable.Of(ExperimentTables.Knobs(knobs));

    private static Html Figures(IReadOnlyList<ExperimentFigureDifference> figures)
    {
        if (figures.Count == 0)
            return Html.Of($"<p>No figure differs by more than noise.</p>");
        var table = HtmlTable.Of(
            ExperimentTables.Figures(figures), i => NoiseBand.Render(figures[i].Share, figures[i].Allowed / Math.Abs(figures[i].First)));
        return Html.Of($"<div class=\"verdicts\">{table}</div>");
    }
}
