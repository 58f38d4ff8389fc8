using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>The result of a search, for people and for scripts.</summary>
internal static class TuneTable
{
    public static string Json(TunedStage stage, Tuned tuned) =>
        PrintedJson.Of(
            new
            {
                tuned.Goal,
                Possible = IsPossible(tuned),
                Setting = tuned.Found is { } found ? stage.SetOf(found) : null,
                Predicted = tuned.Judgment.Figures,
                tuned.Judgment.Why,
                tuned.Binds,
                Smaller = tuned.Smaller.Select(it => new
                {
                    it.Change,
                    Setting = stage.SetOf(it.Numbers),
                    it.Judgment.Answer,
                    it.Judgment.Why,
                    it.Judgment.Figures,
                    it.Binds,
                }),
                tuned.Simulations,
                tuned.IsExhausted,
            }
        );

    public static void Write(IAnsiConsole output, TunedStage stage, Tuned tuned)
    {
        output.WriteLine($"Goal: {tuned.Goal}.");
        if (tuned.Found is { } found)
        {
            output.Write(
                Table.Of("", ["setting", "before#", "smallest#"], stage.SetOf(found), it =>
                    [it.Key, stage.Before(it.Key), it.Value]
                )
            );
            output.WriteLine($"Predicted: {Said(tuned.Judgment.Figures)}.");
        }
        else
        {
            var answer = tuned.IsExhausted ? "Nothing was found." : "No configuration meets the goal.";
            output.WriteLine($"{answer} Closest: {tuned.Judgment.Why}.");
        }

        output.WriteLine($"Tightest limit: {PlanText.Of(tuned.Binds)}.");
        if (tuned.Smaller.Count > 0)
        {
            output.Write(
                Table.Of("", ["what would be smaller", "why it is not enough", "tightest limit"], tuned.Smaller, it =>
                    [it.Change, it.Judgment.Why, PlanText.Short(it.Binds)]
                )
            );
        }

        output.WriteLine(
            $"{tuned.Simulations} simulations."
                + (tuned.IsExhausted ? " The search ended at its limit of events: another setting may hold." : "")
        );
    }

    /// <summary>The command that runs a setting with the environment, the length and the seed of its search.</summary>
    public static string PlayLine(TunedStage stage, Tuned tuned)
    {
        var run = stage.Start.Options;
        var seed = run.Seed == RunSelection.DefaultSeed ? "" : $" --seed {run.Seed}";
        var knobs = string.Concat(stage.SetOf(tuned.Found!).Select(set => $" --set {set.Key}={set.Value}"));
        return $"./lab run {stage.Start.Stage.Id}{EnvironmentOf(run.Environment)}{LengthOf(run)}{seed}{knobs}";
    }

    /// <returns><see langword="null"/> if the search ended before it knew.</returns>
    private static bool? IsPossible(Tuned tuned)
    {
        if (tuned.Found is not null)
            return true;
        return tuned.IsExhausted ? null : false;
    }

    private static string LengthOf(RunOptions run)
    {
        if (run.K == 1)
            return " --full";
        return run.K == RunOptions.Quick ? "" : $" --k {run.K}";
    }

    private static string EnvironmentOf(string? name) => name is null ? "" : $" --environment {Verb.Quoted(name)}";

    private static string Said(IReadOnlyDictionary<string, double> figures) =>
        string.Join(", ", figures.Keys.Select(figure => Goal.ValueOf(figure, figures)));
}
