using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>What each stage of the article found, in one sentence with the figures of this run.</summary>
internal static class Story
{
    /// <returns>Null when there is nothing to say: another stage, or one that did not come to its end.</returns>
    public static string? Of(RunRecord run, StageRecord stage)
    {
        var published = Stage.All().FirstOrDefault(it => it.Id == stage.Stage);
        if (stage.Figures.Count == 0 || published?.Found is not { } found)
            return null;
        var counted = Expectation.Told(found.Counted, figure => stage.Figures.GetValueOrDefault(figure)?.Value);
        // Of a half, most checks are on its whole stage.
        return run.Changed.Count == 0 && Holds(stage) && run.Stages.Where(it => it.Stage == published.HalfOf).All(Holds)
            ? $"{counted}: {found.Means}."
            : $"{counted}.";
    }

    private static bool Holds(StageRecord stage) =>
        stage.Outcome == Outcomes.Holds && stage.Checks.All(check => check.Holds == true);
}
