using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Articles;

/// <summary>A self-contained HTML report of experiments, with a page for each.</summary>
internal static class ExperimentReport
{
    public static string Render(ExperimentRun run)
    {
        var all = run.Experiments.Select(record => (Record: record, Experiment: Experiment.Load(record.Name))).ToList();
        var title = all is [var only] ? only.Experiment.Title : "Experiments";
        var pages = all.Select(it => (it.Experiment.Name, it.Experiment.Title));
        return Page.Render(
            title,
            pages,
            Html.Of($"{all.Select(it => PageOf(run.Run, it.Record, it.Experiment))}")
        ).Markup;
    }

    private static Html PageOf(RunRecord run, ExperimentRecord record, Experiment experiment)
    {
        var eyebrow =
            $"{run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC · {(run.IsFull ? "full scale" : "reduced time scale")} · "
            + $"{experiment.Article.Author}: {experiment.Article.Title}";
        return Page.Section(
            record.Name,
            eyebrow,
            experiment.Question,
            lead: Html.Of($"<p class=\"answer\">{Answer(run, record)}</p>"),
            content: Html.Of(
                $"""
                <h3>Checks</h3>
                {HtmlTable.Of(ExperimentTables.Checks(record, experiment) with { Title = "Checks" })}
                {Together(record)}
                {record.Variants.Select(variant => VariantOf(record.Name, variant))}
                <h3>What the article measured</h3>
                {TableOf(experiment.Article.Table)}
                <h3>What was fitted</h3>
                {HtmlTable.Of(ExperimentTables.Fits(experiment))}
                <h3>What the article leaves open</h3>
                <ul>{experiment.Notes.Select(note => Html.Of($"<li>{note}</li>"))}</ul>
                <details class="more"><summary>Knobs and figures</summary>
                {HtmlTable.Of(ExperimentTables.Knobs(record, experiment))}
                {HtmlTable.Of(ExperimentTables.Figures(record, experiment))}
                <p class="note">To repeat the run: <code>{run.Command}</code></p></details>
                """
            )
        );
    }

    private static string Answer(RunRecord run, ExperimentRecord record)
    {
        var knobs = string.Join(", ", run.Changed.Select(set => $"{set.Key}={set.Value}"));
        var changed = knobs.Length == 0 ? "" : $" You changed knobs ({knobs}), so published ranges don't apply.";
        var incomplete = record.Outcome == Outcomes.Incomplete ? $" It is incomplete: {run.Reason}" : "";
        var leftOut = string.Concat(record.LeftOut.Select(it => $" {it.Variant} was left out: {it.Reason}"));
        return $"{CheckRecord.CountOf(record.Checks)}{incomplete}{leftOut}{changed}";
    }

    private static Html VariantOf(string experiment, VariantRecord variant) =>
        Html.Of(
            $"""
            <h3>{variant.Title} <span class="badge">{ExperimentTables.NameOf(variant.Arm)}</span></h3>
            <div class="charts">{variant.Exhibits.Charts.Select(
                (chart, i) => ChartOf($"{experiment}-{variant.Name}-{i}", chart, chart.Says, chart.Lines)
            )}</div>
            {variant.Exhibits.Tables.Select(TableOf)}
            """
        );

    private static Html ChartOf(string id, ExperimentChart chart, string says, IEnumerable<ChartLine> lines) =>
        SvgChart.Render(
            new(id, chart.Title, says, chart.Unit, Palette.Paint(lines.Select(LineOf)), []),
            chart.Query is { } query ? Source.Of(query, QueryFile.Text(query)) : Html.Empty
        );

    /// <summary>Returns a line without a color.</summary>
    private static Line LineOf(ChartLine line) =>
        new(line.Name, "", [.. line.Seconds.Zip(line.Values, (x, y) => new Point(x, y))]);

    private static Html TableOf(ExperimentTable table) =>
        Html.Of(
            $"""
            <p><strong>{table.Title}.</strong> <span class="muted">{table.Says}</span></p>
            {HtmlTable.Of(table.ToTable())}
            """
        );

    /// <summary>Returns charts with all variants.</summary>
    private static Html Together(ExperimentRecord record)
    {
        var drawn = record.Variants.Where(variant => variant.Exhibits.Charts.Count > 0).ToList();
        if (drawn.Count < 2)
            return Html.Empty;
        var lines = drawn.Max(variant => variant.Exhibits.Charts[0].Lines.Count);
        // The smallest number of charts that have enough colors, with about the same number of lines.
        var parts = (drawn.Count * lines + Palette.Series.Count - 1) / Palette.Series.Count;
        var charts = drawn.Chunk((drawn.Count + parts - 1) / parts).Select(OnOneAxis);
        return Html.Of(
            $"""
            <h3>The variants on one axis</h3>
            <div class="charts">{charts}</div>
            """
        );

        Html OnOneAxis(VariantRecord[] part, int number)
        {
            var says = $"Variants {string.Join(", ", part.Select(variant => variant.Name))}.";
            var all = part.SelectMany(LinesOf);
            return ChartOf($"{record.Name}-all-{number}", part[0].Exhibits.Charts[0], says, all);
        }
    }

    private static IEnumerable<ChartLine> LinesOf(VariantRecord variant)
    {
        var lines = variant.Exhibits.Charts[0].Lines;
        return lines.Select(line =>
            line with
            {
                Name = lines.Count == 1 ? variant.Name : $"{variant.Name}, {line.Name}",
            }
        );
    }
}
