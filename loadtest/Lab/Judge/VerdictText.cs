using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>Results as text.</summary>
internal static class VerdictText
{
    /// <summary>Returns the result of a stage that differs from the published one; otherwise, an empty string.</summary>
    public static string Of(StageRecord stage) =>
        stage.Differences.Count == 0 || stage.Outcome is Outcomes.Void or Outcomes.Incomplete
            ? ""
            : $"Stage {stage.Stage} ran with {string.Join(", ", stage.Differences)}. {Judged(stage)} {Published(stage)}";

    /// <summary>Returns how many predicted metrics are in their ranges, and lists the others.</summary>
    public static string Predictions(StageRecord stage)
    {
        var predicted = stage.Figures.Where(figure => figure.Value.Agreement is not null).ToList();
        if (predicted.Count == 0)
            return "";
        var missed = predicted.Where(figure => figure.Value.Agreement != Agreement.AsPredicted).Select(Missed).ToList();
        var (count, all) = (predicted.Count - missed.Count, predicted.Count);
        return $"{count} of {all} predicted figures are as predicted"
            + (missed.Count == 0 ? "." : $". Exceptions: {string.Join("; ", missed)}.");
    }

    private static string Judged(StageRecord stage)
    {
        var broken = stage
            .Checks.Where(check => check is { Judges: true, Holds: false })
            .Select(check => $"{check.Id} fails: {check.Why}");
        var predicted = stage.NotPredicted is { } gap
            ? $"No prediction is available: {char.ToLowerInvariant(gap[0])}{gap[1..]}"
            : Predictions(stage);
        return stage.Outcome switch
        {
            Outcomes.Broken => $"It is broken. {string.Join(". ", broken)}.",
            Outcomes.Fails => $"The results don't match the prediction for these settings. {predicted}",
            _ when stage.NotPredicted is not null => $"All checks that apply to any knobs hold. {predicted}",
            _ => $"It is as expected for its knobs. {predicted}",
        };
    }

    private static string Published(StageRecord stage)
    {
        var published = stage.Checks.Where(check => check is { Judges: false, Holds: not null }).ToList();
        var differ = published.Where(check => check.Holds == false).Select(check => check.Id).ToList();
        return differ.Count == 0
            ? "All bands of the published stage hold as well."
            : $"Published bands that don't hold, because the knobs differ: {string.Join(", ", differ)}.";
    }

    private static string Missed(KeyValuePair<string, FigureRecord> figure) =>
        figure.Value.Agreement == Agreement.NotMeasured
            ? $"{figure.Key} did not happen (predicted: {figure.Value.Expected})"
            : $"{figure.Key} is {NumberText.Of(figure.Value.Value)}{figure.Value.Unit}, "
                + $"{AgreementText.Of(figure.Value.Agreement)} than predicted ({figure.Value.Expected})";
}
