using DroneDelivery.Lab.Judge;
using DroneDelivery.Model.Figures;
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
        if (stage.Differences.Count > 0)
            output.Write(StageTables.Implied(stage));
        output.Write(StageTables.Checks(stage));
        if (stage.Outcome == Outcomes.Void)
            output.WriteLine($"Stage {stage.Stage} is void: {stage.Reason}");
        foreach (var check in stage.Checks.Where(check => check is { Holds: false, Judges: true }))
            output.WriteLine($"{check.Id} fails: {check.Why}.");
        output.WriteLine(stage.Differences.Count > 0 ? VerdictText.Of(stage) : VerdictText.Predictions(stage));
        // What is noted is true of the published stage.
        foreach (var note in stage.Notes.Where(_ => stage.Differences.Count == 0))
            output.WriteLine(note);
    }
}

/// <summary>Several runs of the same stages: median, range and mean of the figures, and whether the prediction is in their noise.</summary>
internal static class RepeatTable
{
    public static void Write(IAnsiConsole console, IReadOnlyList<RunRecord> runs)
    {
        var judged = runs.SelectMany(run => run.Stages)
            .SelectMany(stage => stage.Checks)
            .Where(check => check.Measured is not null);
        console.Write(
            Table.Of(
                "",
                [
                    "",
                    "check",
                    "median#",
                    "range#",
                    "mean, 95 % (Student's t)#",
                    "predicted#",
                    "difference",
                    "band#",
                    "holds",
                ],
                judged.GroupBy(check => check.Id),
                RowOf
            )
        );
    }

    private static Cell[] RowOf(IEnumerable<CheckRecord> checks)
    {
        var first = checks.First();
        double[] values = [.. checks.Select(check => check.Measured!.Value).Order()];
        var repeats = new Repeats(values);
        return
        [
            first.Id,
            first.Claim,
            Cell.Of(Percentiles.Median(values), first.Unit),
            $"{NumberText.Of(values[0])}–{NumberText.Of(values[^1])}{first.Unit}",
            $"{NumberText.Of(repeats.Mean)} ± {NumberText.Of(repeats.HalfWidth)}{first.Unit}",
            Cell.Of(first.Predicted, first.Unit),
            Against(first.Predicted, repeats),
            first.Band,
            $"{checks.Count(check => check.Holds == true)} of {values.Length}",
        ];
    }

    /// <summary>Whether the mean of more and more runs may come to the prediction.</summary>
    internal static string Against(double? predicted, Repeats repeats) =>
        predicted is not { } value || double.IsNaN(repeats.HalfWidth) ? ""
        : Math.Abs(repeats.Mean - value) > repeats.HalfWidth ? FigureDifference.MoreThanNoise
        : FigureDifference.WithinNoise;
}
