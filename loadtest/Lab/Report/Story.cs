using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>The finding of each stage of the article, with this run's metrics.</summary>
internal static class Story
{
    /// <returns><c>null</c> if the stage is incomplete, or not in the article.</returns>
    public static string? Of(RunRecord run, StageRecord stage)
    {
        var published = Stage.All().FirstOrDefault(other => other.Id == stage.Stage);
        if (stage.Figures.Count == 0 || published?.Found is not { } found)
            return null;
        var counted = Expectation.Told(found.Counted, figure => stage.Figures.GetValueOrDefault(figure)?.Value);
        // Most checks of a half belong to its whole stage.
        return
            run.Changed.Count == 0
            && Holds(stage)
            && run.Stages.Where(other => other.Stage == published.HalfOf).All(Holds)
            ? $"{counted}: {found.Means}."
            : $"{counted}.";
    }

    private static bool Holds(StageRecord stage) =>
        stage.Outcome == Outcomes.Holds && stage.Checks.All(check => check.Holds == true);
}
