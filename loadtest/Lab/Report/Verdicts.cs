using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Report;

/// <summary>Outcomes and checks as HTML.</summary>
internal static class Verdicts
{
    public static Html Badge(string outcome) => Html.Of($"<span class=\"badge {outcome}\">{outcome}</span>");

    public static Html Of(RunRecord run)
    {
        var checks = run.Stages.SelectMany(stage => stage.Checks).ToList();
        var judged = checks.Count(check => check.Holds is not null);
        var sentence = run switch
        {
            { Outcome: Outcomes.Holds } => judged == checks.Count
                ? "Every check holds."
                : $"Every check that could be judged holds ({judged} of {checks.Count}).",
            { Reason: { } reason } => $"Incomplete: {reason}",
            { Outcome: Outcomes.Void } => string.Join(' ', run.Stages
                .Where(stage => stage.Outcome == Outcomes.Void)
                .Select(stage => $"Stage {stage.Stage}: {stage.Reason}")),
            _ => $"{checks.Count(check => check.Holds == true)} of {judged} checks hold.",
        };
        return Html.Of($"{Badge(run.Outcome)} {sentence}");
    }

    public static Html Table(StageRecord stage) => stage.Checks.Count == 0 ? Html.Empty : Html.Of($"<div class=\"verdicts\">{HtmlTable.Of(
        $"Checks of stage {stage.Stage}",
        ["", "check", "article", "model#", "measured#", "must be#", "verdict"],
        stage.Checks.Select(check => (IEnumerable<Html>)
        [
            HtmlTable.Cell(check.Id, "muted"),
            Html.Of($"<td>{check.Claim}{IfNot(check)}</td>"),
            HtmlTable.Cell(check.Article, "muted"),
            HtmlTable.Number(check.Predicted, check.Unit),
            HtmlTable.Number(check.Measured, check.Unit, "strong"),
            HtmlTable.Cell(check.Band, "number"),
            HtmlTable.Cell(check.Verdict, check.Holds switch { true => "holds", false => "fails", null => "muted" }),
        ]))}</div>");

    private static Html IfNot(CheckRecord check) => check.Holds == false
        ? Html.Of($"<br><span class=\"muted\">If not: {check.Why}.</span>")
        : Html.Empty;
}
