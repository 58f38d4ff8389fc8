using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Experiments as one HTML file that needs nothing else: a page for each.</summary>
internal static class ExperimentReport
{
    public static string Render(IReadOnlyList<ExperimentRecord> records)
    {
        var title = records is [var only] ? Experiment.Load(only.Name).Title : "Experiments";
        var pages = records.Select(record => (record.Name, Experiment.Load(record.Name).Title));
        return Page.Render(title, pages, Html.Of($"{records.Select(PageOf)}")).Markup;
    }

    private static Html PageOf(ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        return Html.Of($"""
            <section class="page" id="{record.Name}" aria-labelledby="{record.Name}-title">
            <header><p class="eyebrow">{record.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC · {(record.IsFull ? "full length" : "quick")} ·
            {experiment.Article.Author}: {experiment.Article.Title}</p>
            <h2 id="{record.Name}-title">{experiment.Question}</h2>
            <p class="answer">{Answer(record)}</p></header>
            <h3>Checks</h3>
            {Checks(record, experiment)}
            {ExperimentOverview.Of(record)}
            {record.Variants.Select(variant => VariantOf(record.Name, variant))}
            <h3>What the article measured</h3>
            {TableOf(experiment.Article.Table)}
            {Notes(experiment)}
            <details class="more"><summary>Knobs and figures</summary>{Knobs(record, experiment)}{Figures(record, experiment)}
            <p class="note">Again: <code>{record.Command}</code></p></details>
            </section>

            """);
    }

    private static string Answer(ExperimentRecord record)
    {
        var knobs = string.Join(", ", record.Changed.Select(set => $"{set.Key}={set.Value}"));
        var changed = knobs.Length == 0 ? "" : $" Knobs were changed on the command line ({knobs}): it is not the published experiment.";
        var incomplete = (record.Reason is { } reason ? $" It is incomplete: {reason}" : "")
            + string.Concat(record.LeftOut.Select(it => $" {it.Variant} was left out: {it.Reason}"));
        return $"{CheckRecord.CountOf(record.Checks)}{incomplete}{changed}";
    }

    private static Html Checks(ExperimentRecord record, Experiment experiment) => HtmlTable.Of(
        "Checks", ["", "check", "arm", "article", "measured#", "band", "verdict"], record.Checks.Select(check => (IEnumerable<Html>)
        [
            HtmlTable.Cell(check.Id),
            HtmlTable.Cell(check.Holds == false ? $"{check.Claim}. It fails when {check.Why}." : check.Claim),
            HtmlTable.Cell(ArmOf(experiment.FigureOf(check.Figure).Arm)),
            HtmlTable.Cell(check.Article, "muted"),
            HtmlTable.Number(check.Measured, check.Unit, "strong"),
            HtmlTable.Cell(check.Band),
            HtmlTable.Cell(check.Verdict, check.Holds switch { true => Outcomes.Holds, false => Outcomes.Fails, null => "muted" }),
        ]));

    private static Html VariantOf(string experiment, VariantRecord variant) => Html.Of($"""
        <h3>{variant.Title} <span class="badge">{ArmOf(variant.Arm)}</span></h3>
        <div class="charts">{variant.Exhibits.Charts.Select((chart, i) => ChartOf($"{experiment}-{variant.Name}-{i}", chart))}</div>
        {variant.Exhibits.HeatMaps.Select(HeatTable.Render)}
        {variant.Exhibits.Bars.Select(StackedTable.Render)}
        {variant.Exhibits.Tables.Select(TableOf)}
        """);

    private static Html ChartOf(string id, ExperimentChart chart) => SvgChart.Render(
        new(id, chart.Title, chart.Says, chart.Unit, Palette.Paint(chart.Lines.Select(LineOf)), []),
        chart.Query is { } query ? Source.Of(query, QueryFile.Text(query)) : Html.Empty);

    /// <summary>Without its colour.</summary>
    public static Line LineOf(ExperimentLine line) => new(line.Name, "", [.. line.Seconds.Zip(line.Values, (x, y) => new Point(x, y))]);

    private static Html TableOf(ExperimentTable table) => Html.Of($"""
        <p><strong>{table.Title}.</strong> <span class="muted">{table.Says}</span></p>
        {HtmlTable.Of(table.Title, table.Head, table.Rows.Select(row => row.Zip(table.Head, CellOf)))}
        """);

    private static Html CellOf(string text, string head) => HtmlTable.Cell(text, head.EndsWith('#') ? "number" : "");

    private static Html Notes(Experiment experiment) => experiment.Notes.Count == 0 ? Html.Empty : Html.Of(
        $"<h3>What the article leaves open</h3>\n<ul>{experiment.Notes.Select(note => Html.Of($"<li>{note}</li>"))}</ul>\n");

    private static Html Knobs(ExperimentRecord record, Experiment experiment) => HtmlTable.Of(
        "Knobs", ["variant", "knob", "value#", "meaning"],
        from variant in record.Variants
        from knob in variant.Knobs
        select (IEnumerable<Html>)
        [
            HtmlTable.Cell(variant.Name), Html.Of($"<td><code>{knob.Key}</code></td>"),
            HtmlTable.Number(knob.Value, $" {experiment.Knobs[knob.Key].Unit}"),
            HtmlTable.Cell(experiment.Knobs[knob.Key].Meaning, "muted"),
        ]);

    private static Html Figures(ExperimentRecord record, Experiment experiment) => HtmlTable.Of(
        "Figures", ["figure", "value#", "meaning"],
        from variant in record.Variants
        from figure in variant.Exhibits.Figures
        select (IEnumerable<Html>)
        [
            Html.Of($"<td><code>{figure.Key}</code></td>"),
            HtmlTable.Number(figure.Value, experiment.FigureOf(figure.Key).Unit),
            HtmlTable.Cell(experiment.FigureOf(figure.Key).Meaning, "muted"),
        ]);

    public static string ArmOf(Arm arm) => arm == Arm.Emulated ? "emulated" : "real";
}
