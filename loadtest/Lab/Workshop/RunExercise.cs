using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Workshop;

/// <summary>A question of the workshop that a run answers.</summary>
/// <param name="Stage">The stage whose load the exercise uses.</param>
/// <param name="MayTurn">The knobs that an attempt can change.</param>
internal sealed record RunExercise(
    string Id,
    string Question,
    string Stage,
    string BeginWith,
    IReadOnlyList<string> MayTurn,
    Func<Attempt, IReadOnlyList<Finding>> Conditions
) : Exercise(Id, Question, BeginWith)
{
    public override bool IsAbout(string folder) => RunFolder.Read(folder).Stages.Any(stage => stage.Stage == Stage);

    public override IReadOnlyList<string> Moved(string before, string now) =>
        WhatMoved.Between(RunFolder.Read(before), RunFolder.Read(now), Stage);

    public override Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    ) => Task.FromResult(Check(Attempt.Of(this, RunFolder.Read(folder), answer)));

    public IReadOnlyList<Finding> Check(Attempt attempt)
    {
        var others = attempt.Run.Changed.Keys.Except(MayTurn).ToList();
        var only =
            MayTurn.Count == 0 ? "Play the stage as it is." : $"This is about {string.Join(", ", MayTurn)} alone.";
        var unchanged = new Finding(
            "nothing was turned that has to stay",
            others.Count == 0,
            $"{string.Join(", ", others)} was turned too. {only}"
        );
        return Grade(Conditions(attempt).Prepend(unchanged));
    }
}

/// <summary>A participant's attempt at an exercise.</summary>
/// <param name="Played">The measured stage that the exercise is about.</param>
/// <param name="Answer">The answer in text form, or an empty string.</param>
internal sealed record Attempt(RunRecord Run, StageRecord Played, string Answer)
{
    private readonly KnobSet _knobs = KnobSet.Parse(Played.Knobs.Select(knob => $"{knob.Key}={knob.Value}"));

    public static Attempt Of(RunExercise exercise, RunRecord run, string? answer)
    {
        var played = run.Stages.FirstOrDefault(stage => stage.Stage == exercise.Stage)
            ?? throw new BadInputException(
                $"The run of {run.StartedAt.ToLocalTime():HH:mm:ss} has no stage {exercise.Stage}. "
                    + $"Begin with ./lab {exercise.BeginWith}, or name another run."
            );
        if (played.Outcome is Outcomes.Void or Outcomes.Incomplete)
        {
            throw new BadInputException(
                $"Stage {exercise.Stage} of the run of {run.StartedAt.ToLocalTime():HH:mm:ss} is {played.Outcome} "
                    + $"and can't be graded: {played.Reason}"
            );
        }
        return new(run, played, answer ?? "");
    }

    /// <summary>The comma-separated parts of the answer.</summary>
    public IReadOnlyList<string> Parts =>
        Answer.Split(',', 3, StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    /// <summary>A part of the answer, or an empty string.</summary>
    public string Part(int i) => Parts.ElementAtOrDefault(i) ?? "";

    /// <summary>The value, or <see cref="double.NaN"/> if it was not measured.</summary>
    public double Figure(string name) =>
        Played.Figures.GetValueOrDefault(FigureTable.Find(name).Name)?.Value ?? double.NaN;

    /// <summary>A knob as applied, with scaled durations.</summary>
    public double Knob(string name) => _knobs.Number(name, double.NaN);

    /// <summary>The maximum number of messages that a Workflow replica can hold so that each lock is valid when its handler starts.</summary>
    public double PrefetchLimit => PlanOf(Run, Played.Stage)?.LargestPrefetch ?? double.NaN;

    /// <summary>The results of the formulas for a run.</summary>
    /// <returns><c>null</c> if more than knobs changed, which the formulas don't support.</returns>
    public static Plan? PlanOf(RunRecord run, string stage)
    {
        if (run.Changed.Keys.Any(change => change.StartsWith('-')))
            return null;
        var knobs = KnobSet.Parse(run.Changed.Select(knob => $"{knob.Key}={knob.Value}"));
        var options = RunOptions.Published(run.K) with { Overrides = knobs, Seed = run.Seed };
        return Planner.Of(SimulatedSetting.Of(StagePlan.Of(Stage.Load(stage), options)));
    }
}
