using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>Verdicts in words, for the terminal, the report and the live page alike.</summary>
internal static class VerdictText
{
    /// <summary>Of a stage that differs from the published one; empty for one that does not, or that was not judged.</summary>
    public static string Of(StageRecord stage) =>
        stage.Differences.Count == 0 || stage.Outcome is Outcomes.Void or Outcomes.Incomplete
            ? ""
            : $"Stage {stage.Stage} was played with {string.Join(", ", stage.Differences)}. {Judged(stage)} {Published(stage)}";

    /// <summary>Of any stage: how many of the figures that somebody predicts are as predicted, and which are not.</summary>
    public static string Predictions(StageRecord stage)
    {
        var predicted = stage.Figures.Where(figure => figure.Value.Agreement is not null).ToList();
        if (predicted.Count == 0)
            return "";
        var missed = predicted.Where(figure => figure.Value.Agreement != Agreement.AsPredicted).Select(Missed).ToList();
        var (count, all) = (predicted.Count - missed.Count, predicted.Count);
        return $"{count} of {all} predicted figures are as predicted"
            + (missed.Count == 0 ? "." : $"; not so {string.Join("; ", missed)}.");
    }

    private static string Judged(StageRecord stage)
    {
        var broken = stage
            .Checks.Where(check => check is { Judges: true, Holds: false })
            .Select(check => $"{check.Id} fails: {check.Why}");
        var predicted = stage.NotPredicted is { } gap
            ? $"Nobody predicts its figures: {char.ToLowerInvariant(gap[0])}{gap[1..]}"
            : Predictions(stage);
        return stage.Outcome switch
        {
            Outcomes.Broken => $"It is broken. {string.Join(". ", broken)}.",
            Outcomes.Fails => $"The results don't match the prediction for these settings. {predicted}",
            _ when stage.NotPredicted is not null => $"What holds for any knobs holds. {predicted}",
            _ => $"It is as expected for its knobs. {predicted}",
        };
    }

    private static string Published(StageRecord stage)
    {
        var published = stage.Checks.Where(check => check is { Judges: false, Holds: not null }).ToList();
        var differ = published.Where(check => check.Holds == false).Select(check => check.Id).ToList();
        return differ.Count == 0
            ? "All bands of the published stage hold as well."
            : $"Bands of the published stage that differ, as the knobs do: {string.Join(", ", differ)}.";
    }

    private static string Missed(KeyValuePair<string, FigureRecord> figure) =>
        $"{figure.Key}: {NumberText.Of(figure.Value.Value)}{figure.Value.Unit} is "
        + $"{(figure.Value.Agreement == Agreement.NotMeasured ? "not there" : AgreementText.Of(figure.Value.Agreement))}"
        + $" where {figure.Value.Expected} was predicted";
}
