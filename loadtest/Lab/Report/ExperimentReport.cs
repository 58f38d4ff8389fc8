using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>Experiments as one HTML file that needs nothing else: a page for each.</summary>
internal static class ExperimentReport
{
    public static string Render(RunRecord run)
    {
        var records = run.Experiments;
        var title = records is [var only] ? Experiment.Load(only.Name).Title : "Experiments";
        var pages = records.Select(record => (record.Name, Experiment.Load(record.Name).Title));
        return Page.Render(title, pages, Html.Of($"{records.Select(record => PageOf(run, record))}")).Markup;
    }

    private static Html PageOf(RunRecord run, ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        var eyebrow =
            $"{run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC · {(run.IsFull ? "full length" : "quick")} · "
            + $"{experiment.Article.Author}: {experiment.Article.Title}";
        return Page.Section(
            record.Name,
            eyebrow,
            experiment.Question,
            lead: Html.Of($"<p class=\"answer\">{Answer(run, record)}</p>"),
            content: Html.Of(
                $"""
                <h3>Checks</h3>
                {HtmlTable.Of(StageTables.Checks(record) with { Title = "Checks" })}
                {ExperimentOverview.Of(record)}
                {record.Variants.Select(variant => VariantOf(record.Name, variant))}
                <h3>What the article measured</h3>
                {TableOf(experiment.Article.Table)}
                <h3>What was fitted</h3>
                {Fits(experiment)}
                {Notes(experiment)}
                <details class="more"><summary>Knobs and figures</summary>{Knobs(record, experiment)}{Figures(
                    record,
                    experiment
                )}
                <p class="note">Again: <code>{run.Command}</code></p></details>
                """
            )
        );
    }

    private static string Answer(RunRecord run, ExperimentRecord record)
    {
        var knobs = string.Join(", ", run.Changed.Select(set => $"{set.Key}={set.Value}"));
        var changed =
            knobs.Length == 0
                ? ""
                : $" Knobs were changed on the command line ({knobs}): it is not the published experiment.";
        var incomplete = record.Outcome == Outcomes.Incomplete ? $" It is incomplete: {run.Reason}" : "";
        return $"{CheckRecord.CountOf(record.Checks)}{incomplete}{record.SaysLeftOut}{changed}";
    }

    private static Html VariantOf(string experiment, VariantRecord variant) =>
        Html.Of(
            $"""
            <h3>{variant.Title} <span class="badge">{StageTables.ArmOf(variant.Arm)}</span></h3>
            <div class="charts">{variant.Exhibits.Charts.Select(
                (chart, i) => ChartOf($"{experiment}-{variant.Name}-{i}", chart)
            )}</div>
            {variant.Exhibits.HeatMaps.Select(HeatTable.Render)}
            {variant.Exhibits.Bars.Select(StackedTable.Render)}
            {variant.Exhibits.Tables.Select(TableOf)}
            """
        );

    private static Html ChartOf(string id, ExperimentChart chart) =>
        SvgChart.Render(
            new(id, chart.Title, chart.Says, chart.Unit, Palette.Paint(chart.Lines.Select(LineOf)), []),
            chart.Query is { } query ? Source.Of(query, QueryFile.Text(query)) : Html.Empty
        );

    /// <param name="of">Of which of several charts on one axis.</param>
    public static IEnumerable<Line> LinesOf(string of, ExperimentChart chart) =>
        chart.Lines.Select(line => LineOf(line) with { Name = chart.Lines.Count == 1 ? of : $"{of}, {line.Name}" });

    /// <summary>Without its color.</summary>
    private static Line LineOf(ExperimentLine line) =>
        new(line.Name, "", [.. line.Seconds.Zip(line.Values, (x, y) => new Point(x, y))]);

    private static Html TableOf(ExperimentTable table) =>
        Html.Of(
            $"""
            <p><strong>{table.Title}.</strong> <span class="muted">{table.Says}</span></p>
            {HtmlTable.Of(table.ToTable())}
            """
        );

    private static Html Fits(Experiment experiment) =>
        HtmlTable.Of(
            Table.Of("What was fitted", ["knobs", "fitted to", "judged by"], experiment.Fits, fit =>
                [
                    string.Join(", ", fit.Knobs),
                    fit.Rows,
                    fit.JudgedBy.Count > 0 ? string.Join(", ", fit.JudgedBy) : "no other row",
                ]
            )
        );

    private static Html Notes(Experiment experiment) =>
        experiment.Notes.Count == 0
            ? Html.Empty
            : Html.Of(
                $"<h3>What the article leaves open</h3>\n<ul>{experiment.Notes.Select(note => Html.Of($"<li>{note}</li>"))}</ul>\n"
            );

    private static Html Knobs(ExperimentRecord record, Experiment experiment) =>
        HtmlTable.Of(
            Table.Of(
                "Knobs",
                ["variant", "knob", "value#", "meaning"],
                record.Variants.SelectMany(
                    variant => variant.Knobs,
                    (variant, knob) => (variant.Name, knob.Key, knob.Value)
                ),
                it =>
                    [
                        it.Name,
                        it.Key,
                        Cell.Of(it.Value, $" {experiment.Knobs[it.Key].Unit}"),
                        new(experiment.Knobs[it.Key].Meaning, Tone.Quiet),
                    ]
            )
        );

    private static Html Figures(ExperimentRecord record, Experiment experiment) =>
        HtmlTable.Of(
            Table.Of(
                "Figures",
                ["figure", "value#", "meaning"],
                record.Variants.SelectMany(variant => variant.Exhibits.Figures),
                it =>
                    [
                        it.Key,
                        Cell.Of(it.Value, experiment.FigureOf(it.Key).Unit),
                        new(experiment.FigureOf(it.Key).Meaning, Tone.Quiet),
                    ]
            )
        );
}

/// <summary>Charts that several variants have, with all of them on one axis.</summary>
internal static class ExperimentOverview
{
    public static Html Of(ExperimentRecord record)
    {
        var shared = record
            .Variants.SelectMany(variant =>
                variant.Exhibits.Charts.Select(chart => (Variant: variant.Name, Chart: chart))
            )
            .GroupBy(it => it.Chart.Title)
            .Where(same => same.Count() > 1)
            .SelectMany(same => InParts([.. same]))
            .ToList();
        var charts =
            shared.Count == 0
                ? Html.Empty
                : Html.Of(
                    $"""
                    <h3>The variants on one axis</h3>
                    <div class="charts">{shared.Select((part, i) => Render($"{record.Name}-all-{i}", part))}</div>

                    """
                );
        return Html.Of($"{charts}{TradeoffOf(record, Experiment.Load(record.Name))}");
    }

    private static Html TradeoffOf(ExperimentRecord record, Experiment experiment)
    {
        if (experiment.Tradeoff is not { } tradeoff)
            return Html.Empty;
        var points = (
            from variant in record.Variants
            let figures = variant.Exhibits.Figures
            where
                figures.ContainsKey($"{variant.Name}.{tradeoff.X}")
                && figures.ContainsKey($"{variant.Name}.{tradeoff.Y}")
            select new Dot(
                variant.Name,
                figures[$"{variant.Name}.{tradeoff.X}"],
                figures[$"{variant.Name}.{tradeoff.Y}"]
            )
        ).ToList();
        return points.Count < 2
            ? Html.Empty
            : new DotChart(
                $"{record.Name}-tradeoff",
                tradeoff.Title,
                tradeoff.Says,
                AxisOf(tradeoff.X),
                AxisOf(tradeoff.Y),
                points
            ).Render();

        string AxisOf(string figure) => $"{experiment.Figures[figure].Meaning},{experiment.Figures[figure].Unit}";
    }

    /// <summary>As few charts as there are colors for, about equally full.</summary>
    private static IEnumerable<(string Variant, ExperimentChart Chart)[]> InParts(
        IReadOnlyList<(string Variant, ExperimentChart Chart)> all
    )
    {
        var lines = all.Max(it => it.Chart.Lines.Count);
        var parts = (all.Count * lines + Palette.Series.Count - 1) / Palette.Series.Count;
        return all.Chunk((all.Count + parts - 1) / parts);
    }

    private static Html Render(string id, (string Variant, ExperimentChart Chart)[] part)
    {
        var first = part[0].Chart;
        var lines = part.SelectMany(it => ExperimentReport.LinesOf(it.Variant, it.Chart));
        return SvgChart.Render(
            new(
                id,
                first.Title,
                $"Variants {string.Join(", ", part.Select(it => it.Variant))}.",
                first.Unit,
                Palette.Paint(lines),
                []
            ),
            first.Query is { } query ? Source.Of(query, QueryFile.Text(query)) : Html.Empty
        );
    }
}
