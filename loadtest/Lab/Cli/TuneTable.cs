using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal static class TuneTable
{
    public static void Write(Outlet outlet, Tuned tuned, TuneArguments arguments)
    {
        var output = outlet.Screen;
        var (budget, rate) = (tuned.Setup.Budget, tuned.Goal.Rate);
        output.WriteLine($"Goal: {tuned.Goal}{MostOf(budget)}.");
        if (tuned.Found is not { } found)
        {
            output.WriteLine(
                $"{(tuned.IsPossible is null ? "Nothing was found." : "No configuration meets the goal.")} {tuned.Because}"
            );
            if (tuned.Cost is not null)
                output.WriteLine(CostText.Footnote(budget.Prices, rate));
            return;
        }

        output.Write(SettingOf(tuned, found));
        output.WriteLine($"It costs {CostText.Of(tuned.Cost!)} a month: {CostText.Parts(tuned.Cost!)}.");
        output.WriteLine(
            $"Predicted: {Said(tuned.Judgment!.Trial)}. Tightest limit: {tuned.Binds!.What}, {tuned.Binds.Rate:0.0}/s."
        );
        output.WriteLine(
            $"Recommended prefetch: up to {tuned.SafePrefetch:#,0} (half of what a lock allows, or one message for each handler)."
        );
        output.Write(CheaperOf(tuned));
        output.WriteLine(CostText.Footnote(budget.Prices, rate));
        outlet.Text.WriteLine($"Play it: {PlayLine.Of(tuned, found, arguments)}"); // in one line, to be copied
        if (tuned.Goal.DrainSeconds is not null)
        {
            output.WriteLine(
                "A run of the stage observes it no longer than before; --verify waits until the queue is empty."
            );
        }

        output.WriteLine(
            $"{tuned.Simulations} simulations, shortened by {tuned.Setup.Start.K}."
                + (tuned.IsExhausted ? " The search ended at its limit: something cheaper may hold." : "")
        );
    }

    /// <summary>For somebody's own system: what is cheapest has the fewest nodes, then replicas, then messages at a time.</summary>
    public static void Write(IAnsiConsole output, SystemFile system, Goal goal, TunedSystem tuned)
    {
        output.WriteLine($"Goal: {goal}.");
        if (tuned.Found is { } found)
        {
            output.Write(
                Table.Of("", ["field", $"{system.Name}#", "cheapest setting#"], SystemFields.Of(found), field =>
                    [field, $"{system.Number(field)}", $"{found.Number(field)}"]
                )
            );
        }
        else
        {
            output.WriteLine($"No configuration meets the goal. Closest: {tuned.Judgment.Why}.");
        }

        var trial = tuned.Judgment.Trial;
        output.WriteLine(
            $"Predicted: {Said(trial)}, 95 % completed within {NumberText.Of(trial.P95)} s. "
                + $"Tightest limit: {PlanText.Of(tuned.Binds)}."
        );
        if (tuned.Cheaper.Count > 0)
        {
            output.Write(
                Table.Of("", ["what would be cheaper", "why it is not enough"], tuned.Cheaper, it =>
                    [it.Change, it.Why]
                )
            );
        }
    }

    public static void WriteFound(IAnsiConsole output, Tuned tuned, LabTrial lab)
    {
        if (lab.Trial is not { } measured)
        {
            output.WriteLine($"The lab cannot tell: {lab.Void}");
            return;
        }

        var predicted = tuned.Judgment!.Trial;
        (string Figure, Func<Trial, double> Of, string Unit)[] figures =
        [
            ("incoming.plateau", trial => trial.Incoming, "/s"),
            ("completed.plateau", trial => trial.Completed, "/s"),
            ("redelivered", trial => trial.Redelivered, ""),
            ("deadLettered.final", trial => trial.DeadLettered, ""),
            ("http.5xx", trial => trial.Errors, ""),
            ("drain at full length", trial => trial.DrainSeconds, "s"),
            ("node.busiest", trial => trial.BusiestNode, " %"),
        ];
        output.Write(
            Table.Of("", ["figure", "predicted#", "measured#"], figures, it =>
                [it.Figure, Cell.Of(it.Of(predicted), it.Unit), Cell.Of(it.Of(measured), it.Unit)]
            )
        );
        output.WriteLine(lab.Holds ? "It holds in the lab." : $"It fails in the lab: {Said(lab.Misses)}.");
    }

    public static void WriteNext(IAnsiConsole output, Cheaper cheaper, LabTrial lab) =>
        output.WriteLine(
            lab.Trial is null ? $"Next cheaper ({cheaper.Change}): the lab cannot tell: {lab.Void}"
            : lab.Fails
                ? $"Next cheaper ({cheaper.Change}) fails in the lab, too: {Said(lab.Misses)}. Predicted: {cheaper.Why}."
            : $"Next cheaper ({cheaper.Change}) holds in the lab, and the model says: {cheaper.Why}."
        );

    private static Table SettingOf(Tuned tuned, Candidate found)
    {
        var start = tuned.Setup.Start.Stage;
        return Table.Of("", ["knob", $"stage {start.Id}#", "cheapest setting#"], found.Knobs.All, it =>
            [
                it.Knob.Name,
                start.Knobs[it.Knob.Name] is { } before ? it.Knob.Show(before) : "default",
                it.Knob.Show(it.Value),
            ]
        );
    }

    private static Table CheaperOf(Tuned tuned) =>
        Table.Of(
            "",
            ["what would be cheaper", $"{tuned.Cost!.Currency} a month#", "why it is not enough", "tightest limit"],
            tuned.Cheaper,
            it => [it.Change, CostText.Amount(it.PerMonth), it.Why, $"{it.Binds.What}: {it.Binds.Rate:0.0}/s"]
        );

    private static string MostOf(Budget budget) =>
        budget.MostPerMonth is { } most ? $", for at most {most:0.##} {budget.Prices.Currency} a month" : "";

    private static string Said(Trial trial) =>
        $"{trial.Completed:0.0}/s completed, {trial.Redelivered:0} messages redelivered, {trial.DeadLettered:0} dead-lettered, "
        + (
            double.IsFinite(trial.DrainSeconds)
                ? $"empty {trial.DrainSeconds:0} s after the load, "
                : "not empty after the load, "
        )
        + $"busiest node {trial.BusiestNode:0} %";

    private static string Said(IEnumerable<Miss> misses) => string.Join("; ", misses.Select(miss => miss.Text));
}

/// <summary>What to type to play a setting: with the latencies, the length and the seed that it was found with.</summary>
internal static class PlayLine
{
    private const string Measured = "measured.json";

    public static string Of(Tuned tuned, Candidate found, TuneArguments arguments)
    {
        var (run, from) = (arguments.Run.Options, arguments.From);
        var length =
            run.K == 1 ? " --full"
            : run.K == RunOptions.Quick ? ""
            : $" --k {run.K}";
        var knobs = found
            .Knobs.With(tuned.Setup.Fixed)
            .All.Select(set => $"--set {set.Knob.Name}={set.Knob.Show(set.Value)}");
        return (
                from is null
                    ? ""
                    : $"./lab calibrate {Verb.Quoted(from)}{EnvironmentOf(run.Environment)} --out {Measured} && "
            )
            + $"./lab run {tuned.Setup.Start.Stage.Id}{EnvironmentOf(from is null ? run.Environment : Measured)}{length}"
            + (run.Seed == RunSelection.DefaultSeed ? " " : $" --seed {run.Seed} ")
            + string.Join(' ', knobs);
    }

    private static string EnvironmentOf(string? name) => name is null ? "" : $" --environment {Verb.Quoted(name)}";
}
