using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Workshop;

/// <summary>A question about an article that an experiment answers, together with what was predicted.</summary>
/// <param name="Variant">The one that is asked about.</param>
internal sealed record ExperimentExercise(
    string Id,
    string Question,
    string Experiment,
    string Variant,
    IReadOnlyList<string> MayTurn,
    Func<ExperimentAttempt, IReadOnlyList<Condition>> Conditions
) : Exercise(Id, Question, $"experiment {Experiment} {Variant}", MayTurn)
{
    public override string Find(string? name) =>
        name is null ? RunsOnDisk.NewestOf(Experiment, $"./lab {BeginWith}") : RunsOnDisk.Find(name);

    public override IReadOnlyList<string> Moved(string before, string now) =>
        WhatMoved.OfExperiments(RunFolder.Read(before), RunFolder.Read(now));

    public override Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    ) => Task.FromResult(Check(ExperimentAttempt.Of(this, RunFolder.Read(folder), answer)));

    public IReadOnlyList<Finding> Check(ExperimentAttempt attempt) =>
        Look(Conditions(attempt), attempt.Run.Changed.Keys, "Play the experiment as it is.");
}

/// <summary>What somebody hands in for an exercise about an article.</summary>
internal sealed record ExperimentAttempt(RunRecord Run, ExperimentRecord Record, VariantRecord Played, string Answer)
{
    public static ExperimentAttempt Of(ExperimentExercise exercise, RunRecord run, string? answer)
    {
        var record = run.Experiments.FirstOrDefault(it => it.Name == exercise.Experiment)
            ?? throw new BadInputException(
                $"It has no {exercise.Experiment}. Begin with ./lab {exercise.BeginWith}, or name another."
            );
        var time = $"{run.StartedAt.ToLocalTime():HH:mm:ss}";
        if (record.Outcome == Outcomes.Incomplete)
        {
            throw new BadInputException(
                $"{exercise.Experiment} of {time} is incomplete and can't be graded: {run.Reason}"
            );
        }

        var played = record.Variants.FirstOrDefault(variant => variant.Name == exercise.Variant)
            ?? throw new BadInputException(
                $"{exercise.Experiment} of {time} has no {exercise.Variant}. Begin with ./lab {exercise.BeginWith}, or name another."
            );
        return new(run, record, played, answer ?? "");
    }

    /// <param name="name">With or without the variant before it.</param>
    public double Figure(string name) =>
        Played.Exhibits.Figures.TryGetValue(name, out var value)
            ? value
            : Played.Exhibits.Figures.GetValueOrDefault($"{Played.Name}.{name}", double.NaN);

    /// <summary>A knob as it was applied.</summary>
    public double Knob(string name) => Played.Knobs[name];

    public IReadOnlyList<string> Failing =>
        [.. Record.Checks.Where(check => check.Holds == false).Select(check => check.Id)];

    public IReadOnlyList<string> Named =>
        Answer.Split([' ', ',', ';'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    /// <summary>The answer as a number, thousands apart or not; not a number where it is none.</summary>
    public double Number => double.TryParse(Answer, out var number) ? number : double.NaN;
}
