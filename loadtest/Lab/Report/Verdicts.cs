using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Report;

internal static class Verdicts
{
    public static Html Badge(string outcome) => Html.Of($"<span class=\"badge {outcome}\">{outcome}</span>");

    public static Html Of(RunRecord run)
    {
        var checks = run.Stages.SelectMany(stage => stage.Checks).Where(check => check.Judges).ToList();
        var judged = checks.Count(check => check.Holds is not null);
        var sentence = run switch
        {
            { Outcome: Outcomes.Holds or Outcomes.Partly } => judged == checks.Count
                ? "Every check holds."
                : $"Every check that could be evaluated holds ({judged} of {checks.Count}).",
            { Reason: { } reason } => $"Incomplete: {reason}",
            { Outcome: Outcomes.Differs } => "The run is as expected for its knobs, but not as published.",
            { Outcome: Outcomes.Void } => string.Join(
                ' ',
                run.Stages.Where(stage => stage.Outcome == Outcomes.Void)
                    .Select(stage => $"Stage {stage.Stage}: {stage.Reason}")
            ),
            _ => $"{checks.Count(check => check.Holds == true)} of {judged} checks hold.",
        };
        return Html.Of($"{Badge(run.Outcome)} {sentence}");
    }

    public static Html Table(StageRecord stage) =>
        stage.Checks.Count == 0 ? Html.Empty : Framed(StageTables.Checks(stage));

    public static Html Implied(StageRecord stage) =>
        stage.Differences.Count == 0
            ? Html.Empty
            : Html.Of(
                $"""
                <p class="answer">{VerdictText.Of(stage)}</p>
                {(stage.NotPredicted is null ? Framed(StageTables.Implied(stage)) : Html.Empty)}
                """
            );

    private static Html Framed(Lab.Table table) => Html.Of($"<div class=\"verdicts\">{HtmlTable.Of(table)}</div>");
}
