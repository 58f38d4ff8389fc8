using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Report;

/// <summary>Outcomes and checks as HTML.</summary>
internal static class Verdicts
{
    public static Html Badge(string outcome) => Html.Of($"<span class=\"badge {outcome}\">{outcome}</span>");

    public static Html Of(RunRecord run)
    {
        var checks = run.Stages.SelectMany(stage => stage.Checks).Where(check => check.Judges).ToList();
        var judged = checks.Count(check => check.Holds is not null);
        var sentence = run switch
        {
            { Outcome: Outcomes.Holds } => judged == checks.Count
                ? "Every check holds."
                : $"Every check that could be judged holds ({judged} of {checks.Count}).",
            { Reason: { } reason } => $"Incomplete: {reason}",
            { Outcome: Outcomes.Differs } => "The run is as expected for its knobs, and so not as published.",
            { Outcome: Outcomes.Void } => string.Join(' ', run.Stages
                .Where(stage => stage.Outcome == Outcomes.Void)
                .Select(stage => $"Stage {stage.Stage}: {stage.Reason}")),
            _ => $"{checks.Count(check => check.Holds == true)} of {judged} checks hold.",
        };
        return Html.Of($"{Badge(run.Outcome)} {sentence}");
    }

    public static Html Table(StageRecord stage) => stage.Checks.Count == 0 ? Html.Empty : Html.Of($"<div class=\"verdicts\">{HtmlTable.Of(
        $"Checks of stage {stage.Stage}",
        [
            "", "check", "article", "predicted#", "measured#", "", stage.Differences.Count > 0 ? "published#" : "must be#", "verdict",
        ],
        stage.Checks.Select(check => (IEnumerable<Html>)
        [
            HtmlTable.Cell(check.Id, "muted"),
            Html.Of($"<td>{check.Claim}{IfNot(check)}</td>"),
            HtmlTable.Cell(check.Article, "muted"),
            HtmlTable.Number(check.Predicted, check.Unit),
            HtmlTable.Number(check.Measured, check.Unit, "strong"),
            HtmlTable.Cell(AgreementText.Of(stage.AgreementOf(check)), "muted"),
            HtmlTable.Cell(check.Band, "number"),
            HtmlTable.Cell(check.Verdict, StyleOf(check)),
        ]))}</div>");

    private static string StyleOf(CheckRecord check) =>
        check switch { { Holds: true } => "holds", { Holds: false, Judges: true } => "fails", _ => "muted" };

    /// <summary>What changed knobs imply, and what came out.</summary>
    public static Html Implied(StageRecord stage) => stage.Differences.Count == 0 ? Html.Empty : Html.Of($"""
        <p class="answer">{VerdictText.Of(stage)}</p>
        {(stage.NotPredicted is null ? Predictions(stage) : Html.Empty)}
        """);

    private static Html Predictions(StageRecord stage) => Html.Of($"<div class=\"verdicts\">{HtmlTable.Of(
        $"Figures of stage {stage.Stage}, beside what its knobs imply",
        ["figure", "meaning", "predicted#", "may be#", "measured#", "verdict"],
        stage.Figures.Where(figure => figure.Value.Agreement is not null).Select(figure => (IEnumerable<Html>)
        [
            HtmlTable.Cell(figure.Key),
            HtmlTable.Cell(figure.Value.Meaning, "muted"),
            HtmlTable.Number(figure.Value.Predicted, figure.Value.Unit),
            HtmlTable.Cell(figure.Value.Expected ?? "", "number"),
            HtmlTable.Number(figure.Value.Value, figure.Value.Unit, "strong"),
            HtmlTable.Cell(
                AgreementText.Of(figure.Value.Agreement), figure.Value.Agreement == Agreement.AsPredicted ? "holds" : "fails"),
        ]))}</div>");

    private static Html IfNot(CheckRecord check) => check is { Holds: false, Judges: true }
        ? Html.Of($"<br><span class=\"muted\">If not: {check.Why}.</span>")
        : Html.Empty;
}
