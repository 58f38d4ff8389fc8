using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

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
            {HtmlTable.Of(ExperimentTables.Checks(record) with { Title = "Checks" })}
            {ExperimentOverview.Of(record)}
            {record.Variants.Select(variant => VariantOf(record.Name, variant))}
            <h3>What the article measured</h3>
            {TableOf(experiment.Article.Table)}
            <h3>What was fitted</h3>
            {HtmlTable.Of(ExperimentTables.Fits(experiment))}
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
        {HtmlTable.Of(ExperimentTables.Of(table))}
        """);

    private static Html Notes(Experiment experiment) => experiment.Notes.Count == 0 ? Html.Empty : Html.Of(
        $"<h3>What the article leaves open</h3>\n<ul>{experiment.Notes.Select(note => Html.Of($"<li>{note}</li>"))}</ul>\n");

    private static Html Knobs(ExperimentRecord record, Experiment experiment) => HtmlTable.Of(Table.Of(
        "Knobs",
        ["variant", "knob", "value#", "meaning"],
        record.Variants.SelectMany(variant => variant.Knobs, (variant, knob) => (variant.Name, knob.Key, knob.Value)),
        it =>
        [
            it.Name, it.Key, Cell.Of(it.Value, $" {experiment.Knobs[it.Key].Unit}"), new(experiment.Knobs[it.Key].Meaning, Tone.Quiet),
        ]));

    private static Html Figures(ExperimentRecord record, Experiment experiment) => HtmlTable.Of(Table.Of(
        "Figures",
        ["figure", "value#", "meaning"],
        record.Variants.SelectMany(variant => variant.Exhibits.Figures),
        it => [it.Key, Cell.Of(it.Value, experiment.FigureOf(it.Key).Unit), new(experiment.FigureOf(it.Key).Meaning, Tone.Quiet)]));

    public static string ArmOf(Arm arm) => arm == Arm.Emulated ? "emulated" : "real";
}
