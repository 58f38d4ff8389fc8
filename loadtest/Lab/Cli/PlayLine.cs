using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What to type to play a setting: with the latencies, the length and the seed that it was found with.</summary>
internal static class PlayLine
{
    private const string Measured = "measured.json";

    public static string Of(Tuned tuned, Candidate found, TuneArguments arguments)
    {
        var (run, from) = (arguments.Run.Options, arguments.From);
        var length = run.K == 1 ? " --full" : run.K == RunOptions.Quick ? "" : $" --k {run.K}";
        var knobs = found.Knobs.With(tuned.Setup.Fixed).All.Select(set => $"--set {set.Knob.Name}={set.Knob.Show(set.Value)}");
        return (from is null ? "" : $"./lab calibrate {Quoted(from)}{EnvironmentOf(run.Environment)} --out {Measured} && ")
            + $"./lab run {tuned.Setup.Start.Stage.Id}{EnvironmentOf(from is null ? run.Environment : Measured)}{length}"
            + (run.Seed == SharedOptions.DefaultSeed ? " " : $" --seed {run.Seed} ") + string.Join(' ', knobs);
    }

    private static string EnvironmentOf(string? name) => name is null ? "" : $" --environment {Quoted(name)}";

    private static string Quoted(string word) => word.All(it => char.IsAsciiLetterOrDigit(it) || it is '.' or '/' or '-' or '_')
        ? word
        : $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'";
}
