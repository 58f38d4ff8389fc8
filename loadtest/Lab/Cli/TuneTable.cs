using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

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
                Smaller = tuned.Smaller.Select(smaller => new
                {
                    smaller.Change,
                    Setting = stage.SetOf(smaller.Numbers),
                    smaller.Judgment.Answer,
                    smaller.Judgment.Why,
                    smaller.Judgment.Figures,
                    smaller.Binds,
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
                Table.Of("", ["setting", "before#", "smallest#"], stage.SetOf(found), setting =>
                    [setting.Key, stage.Before(setting.Key), setting.Value]
                )
            );
            output.WriteLine($"Predicted: {Said(tuned.Judgment.Figures)}.");
        }
        else
        {
            var answer = tuned.IsExhausted ? "Nothing was found." : "No configuration meets the goal.";
            output.WriteLine($"{answer} Closest: {tuned.Judgment.Why}.");
        }

        output.WriteLine($"Bottleneck: {PlanText.Of(tuned.Binds)}.");
        if (tuned.Smaller.Count > 0)
        {
            output.Write(
                Table.Of("", ["smaller configuration", "why it fails", "bottleneck"], tuned.Smaller, smaller =>
                    [smaller.Change, smaller.Judgment.Why, PlanText.Short(smaller.Binds)]
                )
            );
        }

        output.WriteLine(
            $"{tuned.Simulations} simulations."
                + (
                    tuned.IsExhausted
                        ? " The search reached its event limit: another configuration may meet the goal."
                        : ""
                )
        );
    }

    /// <summary>Returns the command that runs a configuration as in its search.</summary>
    public static string RunLine(TunedStage stage, Tuned tuned)
    {
        var run = stage.Start.Options;
        var seed = run.Seed == RunSelection.DefaultSeed ? "" : $" --seed {run.Seed}";
        var knobs = string.Concat(stage.SetOf(tuned.Found!).Select(set => $" --set {set.Key}={set.Value}"));
        return $"./lab run {stage.Start.Stage.Id}{EnvironmentOf(run.Environment)}{LengthOf(run)}{seed}{knobs}";
    }

    /// <returns><c>null</c> if the search ended before the answer was known.</returns>
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
