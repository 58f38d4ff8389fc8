using DroneDelivery.Lab.Judge;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal static class VerdictTable
{
    public static void Write(IAnsiConsole output, RunRecord run, string folder)
    {
        foreach (var stage in run.Stages)
            Write(output, stage);
        foreach (var line in run.Stages.SelectMany(stage => run.Guess?.Judge(stage) ?? []))
            output.WriteLine(line);
        if (run.Changed.Count > 0)
            output.WriteLine("You changed settings, so published ranges don't apply.");
        if (run.Telemetry?.FileGap is { } gap)
            output.WriteLine(gap);
        output.WriteLine(
            $"The run is {Outcomes.Say(run.Outcome)}. {Counted(run)} Report: {Path.Combine(folder, RunFolder.Report)}"
        );
    }

    private static string Counted(RunRecord run)
    {
        var all = run.Stages.SelectMany(stage => stage.Checks).ToList();
        var unknown = all.FindAll(check => check is { Holds: null, RelativeTo: null })
            .ConvertAll(check => $"{check.Id} ({check.Figure})");
        var notAvailable = unknown.Count > 0 ? $", {unknown.Count} not available: {string.Join(", ", unknown)}" : "";
        var judging = all.Where(check => check.Judges).ToList();
        return $"{CheckRecord.CountOf(judging).TrimEnd('.')}{notAvailable}.";
    }

    private static void Write(IAnsiConsole output, StageRecord stage)
    {
        if (stage is { WhyHidden: null, Differences.Count: > 0 })
            output.Write(StageTables.Implied(stage));
        output.Write(stage.WhyHidden is null ? StageTables.Checks(stage) : StageTables.Measured(stage));
        if (stage.Outcome == Outcomes.Void)
            output.WriteLine($"Stage {stage.Stage} is void: {stage.Reason}");
        if (stage.WhyHidden is { } hidden)
        {
            output.WriteLine(hidden);
            return;
        }
        foreach (var check in stage.Checks.Where(check => check is { Holds: false, Judges: true }))
            output.WriteLine($"{check.Id} fails: {check.Why}.");
        output.WriteLine(stage.Differences.Count > 0 ? VerdictText.Of(stage) : VerdictText.Predictions(stage));
        // Notes describe the published stage.
        foreach (var note in stage.Notes.Where(_ => stage.Differences.Count == 0))
            output.WriteLine(note);
    }
}
