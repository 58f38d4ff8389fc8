using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <param name="before">The previous stage, or <c>null</c>.</param>
internal sealed class StagePage(RunRecord run, StageRecord stage, StageRecord? before, StageTelemetry? telemetry)
{
    public Html Render() =>
        Page.Section(
            $"stage-{stage.Stage}",
            $"Stage {stage.Stage} · {stage.Title}",
            stage.Question,
            Content(),
            lead: Html.Of(
                $"""
                {Change()}
                {Changes()}
                <p class="answer">{Verdicts.Badge(stage.Outcome)} {stage.WhyHidden
                    ?? Story.Of(run, stage)}{Reason()}</p>
                """
            )
        );

    private Html Content() =>
        Html.Of(
            $"""
            {(stage.WhyHidden is null ? Graded() : Html.Empty)}
            <h3>Rates, queue and resources</h3>
            <div class="charts">{Panels.Select(panel => SvgChart.Render(panel.Chart, Source.Of(panel.Source)))}</div>
            {FromTelemetry()}
            {Details()}
            """
        );

    private Html Graded() =>
        Html.Of(
            $"""
            {Verdicts.Implied(stage)}
            {Verdicts.Table(stage)}
            {Expected()}
            {stage.Notes.Where(_ => stage.Differences.Count == 0).Select(note =>
                Html.Of($"<p class=\"note\">{note}</p>")
            )}
            """
        );

    private Html Expected() =>
        stage.Differences.Count == 0
        && Stage.All().FirstOrDefault(other => other.Id == stage.Stage) is { } published
        && published.Expectation(run.K) is { } text
            ? Html.Of($"<details class=\"more\"><summary>What the model expected</summary><p>{text}</p></details>")
            : Html.Empty;

    private Html Change() =>
        Stage.All().FirstOrDefault(other => other.Id == stage.Stage)?.Change is { } change
            ? Html.Of($"<p class=\"change\">{change}</p>")
            : Html.Empty;

    private Html FromTelemetry() =>
        telemetry is null
            ? Html.Of(
                $"<p class=\"note\">The run stored no telemetry of this stage: charts are drawn from its record, and there is no map.</p>"
            )
            : new Findings(stage, telemetry).Render();

    private IEnumerable<Panel> Panels => new StageCharts(stage, telemetry).All();

    private Html Reason() => stage.Reason is { } reason ? Html.Of($" <strong>{reason}</strong>") : Html.Empty;

    /// <summary>Renders the settings that differ from the previous stage.</summary>
    private Html Changes()
    {
        if (before is null)
            return Html.Empty;
        var changes = KnobDifference
            .Of(stage.Stage, before.Knobs, stage.Knobs)
            .Select(difference =>
                Html.Of(
                    $"<li><code>{difference.Knob}</code> {Given(difference.First)} → <b>{Given(difference.Second)}</b></li>"
                )
            )
            .ToList();
        return changes.Count == 0
            ? Html.Empty
            : Html.Of($"<ul class=\"changes\" aria-label=\"What changed since stage {before.Stage}\">{changes}</ul>");
    }

    private static string Given(string value) => value.Length == 0 ? "–" : value;

    private Html Details() =>
        Html.Of(
            $"""
            <details class="more"><summary>All figures, knobs and the load</summary>
            {HtmlTable.Of(stage.WhyHidden is null ? Figures() : StageTables.Measured(stage))}
            <p class="note">Knobs as applied{Shortened()}. Knobs that aren't listed have the service's default.</p>
            {HtmlTable.Of(Knobs())}
            <p>{LoadText()}</p></details>
            """
        );

    private Table Figures() =>
        Table.Of(
            $"Figures of stage {stage.Stage}",
            ["figure", "measured#", "predicted#", "expected#", "", "meaning"],
            stage.Figures,
            figure =>
                [
                    figure.Key,
                    Cell.Of(figure.Value.Value, figure.Value.Unit),
                    Cell.Of(figure.Value.Predicted, figure.Value.Unit),
                    figure.Value.Expected,
                    AgreementText.Of(figure.Value.Agreement),
                    figure.Value.Meaning,
                ]
        );

    private Table Knobs() =>
        Table.Of($"Knobs of stage {stage.Stage}", ["knob", "value#", ""], stage.Knobs, knob =>
            [knob.Key, knob.Value, run.Changed.ContainsKey(knob.Key) ? "set on the command line" : ""]
        );

    private string Shortened() => run.K == 1 ? "" : $": durations and sizes are divided by {run.K:0.##}";

    private string LoadText() =>
        stage.Load is { } load
            ? $"Load by {load.Driver}: {load.Sent:N0} requests, {load.Accepted:N0} accepted, {load.ServerErrors + load.Failed:N0} failed; "
                + $"response times p50 {load.P50:0.0} ms, p95 {load.P95:0.0} ms, p99 {load.P99:0.0} ms."
            : "";
}
