using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Workshop;

/// <summary>Hides the answers to open questions from a workshop participant.</summary>
internal static class HiddenAnswers
{
    /// <summary>The view of a stage for the person at this machine.</summary>
    /// <param name="spoil"><c>true</c> to hide nothing.</param>
    public static Func<StageRecord, StageRecord> View(bool spoil) => spoil ? stage => stage : Hide;

    /// <summary>Hides the answers of a stage until an exercise about it, or about a later stage, is solved.</summary>
    private static StageRecord Hide(StageRecord stage)
    {
        if (Place.Load() is not { } place)
            return stage;
        var exercises = ExerciseTable.OfRuns.Where(exercise => exercise.Stage[0] >= stage.Stage[0]).ToList();
        if (exercises is not [var next, ..] || exercises.Exists(place.IsSolved))
            return stage;
        return stage with
        {
            WhyHidden =
                $"Checks, predictions, and causes of stage {stage.Stage} are hidden until you solve {next.Id} (./lab learn). "
                + "After you write down your answer, run ./lab report --spoil --open to see them.",
        };
    }
}
