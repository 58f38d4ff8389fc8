using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Workshop;

/// <summary>The result of an attempt.</summary>
/// <param name="Run">The name of the graded folder.</param>
/// <param name="Moved">The comparison with the previous attempt; empty for the first attempt or the same run.</param>
internal sealed record Try(string Exercise, string Run, IReadOnlyList<Finding> Findings, IReadOnlyList<string> Moved)
{
    public bool Passes => Findings.All(finding => finding.Holds == true);

    public static async Task<Try> OfAsync(
        Exercise exercise,
        string folder,
        string? answer,
        Place place,
        CancellationToken cancellationToken
    )
    {
        exercise.RequireAnswer(answer);
        var findings = await exercise.CheckAsync(folder, answer, cancellationToken);
        var before = place.Tried.GetValueOrDefault(exercise.Id);
        var moved = before is null || before == folder ? [] : Lesson.Found([], () => exercise.Moved(before, folder));
        var made = new Try(exercise.Id, Path.GetFileName(folder), findings, moved);
        place.Tried[exercise.Id] = Path.GetFullPath(folder);
        if (made.Passes)
            place.Solved[exercise.Id] = made.Run;
        return made;
    }

    public IEnumerable<string> Lines(Exercise exercise)
    {
        foreach (var moved in Moved)
            yield return $"  {moved}";
        // A condition that isn't graded yet would be a hint.
        foreach (var finding in Findings.Where(finding => finding.Holds is not null))
        {
            var missing = finding.Missing is { } text ? $". {text}" : "";
            yield return $"  {(finding.Holds == true ? "yes" : "no ")}  {finding.Claim}{missing}";
        }
        yield return Passes ? $"Solved with {Run}. {exercise.Because}" : $"Not yet, with {Run}.";
    }
}

/// <summary>Compares an attempt with the previous one: knobs, figures, and the limit that the model gives as the cause.</summary>
internal static class WhatMoved
{
    public static IReadOnlyList<string> Between(RunRecord before, RunRecord now, string stage)
    {
        var moved = Comparison.Of(Only(stage, before), Only(stage, now));
        return
        [
            .. moved.Knobs.Select(knob => $"{knob.Knob}: {knob.First} → {knob.Second}"),
            .. moved
                .Figures.Where(figure => StageTables.MainFigures.Contains(figure.Figure))
                .Select(figure =>
                    $"{figure.Meaning}: {NumberText.Of(figure.First)}{figure.Unit} → "
                    + $"{NumberText.Of(figure.Second)}{figure.Unit}"
                ),
            .. Why(Attempt.PlanOf(before, stage)?.Binds, Attempt.PlanOf(now, stage)?.Binds),
        ];
    }

    private static RunRecord Only(string stage, RunRecord run) =>
        run with
        {
            Stages = [.. run.Stages.Where(record => record.Stage == stage)],
        };

    private static IEnumerable<string> Why(Limit? before, Limit? now) =>
        before is null || now is null ? []
        : PlanText.Of(before) == PlanText.Of(now) ? [$"Why: the limit is still {PlanText.Of(now)}"]
        : [$"Why: the limit was {PlanText.Of(before)}; it is now {PlanText.Of(now)}"];
}
