using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>The verdict on a terminal.</summary>
internal static class VerdictTable
{
    public static void Write(IAnsiConsole output, RunPlan plan, RunRecord run)
    {
        foreach (var stage in run.Stages)
            Write(output, stage);
        foreach (var line in run.Stages.SelectMany(stage => run.Guess?.Judge(stage) ?? []))
            output.WriteLine(line);
        if (plan.Options.IsChanged)
            output.WriteLine("The run was changed on the command line: it is not the published one.");
        if (run.Telemetry?.FileGap is { } gap)
            output.WriteLine(gap);
        output.WriteLine(
            $"The run is {Outcomes.Say(run.Outcome)}. {Counted(run)} Report: {Path.Combine(plan.Options.Folder, "report.html")}");
    }

    private static string Counted(RunRecord run)
    {
        var all = run.Stages.SelectMany(stage => stage.Checks).ToList();
        var checks = all.FindAll(check => check.Judges);
        var unknown = all
            .Where(check => check is { Holds: null, RelativeTo: null })
            .Select(check => $"{check.Id} ({check.Figure})")
            .ToList();
        var notAvailable = unknown.Count > 0 ? $", {unknown.Count} not available: {string.Join(", ", unknown)}" : "";
        var (holds, judged) = (checks.Count(check => check.Holds == true), checks.Count(check => check.Holds is not null));
        return $"{holds} of {judged} checks hold{notAvailable}.";
    }

    private static void Write(IAnsiConsole output, StageRecord stage)
    {
        if (stage.Differences.Count > 0)
            output.Write(Implied(stage));
        output.Write(Checks(stage));
        if (stage.Outcome == Outcomes.Void)
            output.WriteLine($"Stage {stage.Stage} is void: {stage.Reason}");
        foreach (var check in stage.Checks.Where(check => check is { Holds: false, Judges: true }))
            output.WriteLine($"{check.Id} fails: {check.Why}.");
        output.WriteLine(stage.Differences.Count > 0 ? VerdictText.Of(stage) : VerdictText.Predictions(stage));
        // What is noted is true of the published stage.
        foreach (var note in stage.Notes.Where(_ => stage.Differences.Count == 0))
            output.WriteLine(note);
    }

    /// <summary>What changed knobs imply.</summary>
    private static Table Implied(StageRecord stage)
    {
        var table = new Table().Border(TableBorder.Rounded)
            .AddColumns("figure", "predicted for these knobs", "may be", "measured", "verdict")
            .Title(Markup.Escape($"Stage {stage.Stage}, judged by its knobs"));
        foreach (var (name, figure) in stage.Figures.Where(figure => figure.Value.Agreement is not null))
        {
            table.AddRow(
                name,
                Text(figure.Predicted, figure.Unit),
                figure.Expected!,
                Text(figure.Value, figure.Unit),
                figure.Agreement == Agreement.AsPredicted ? "[green]as predicted[/]" : $"[red]{AgreementText.Of(figure.Agreement)}[/]");
        }

        return table;
    }

    private static Table Checks(StageRecord stage)
    {
        var varied = stage.Differences.Count > 0;
        var table = new Table().Border(TableBorder.Rounded)
            .AddColumns("", "check", "article", "predicted", "measured", "", varied ? "published band" : "band", "verdict")
            .Title(Markup.Escape($"Stage {stage.Stage}: {stage.Title}"));
        foreach (var check in stage.Checks)
        {
            table.AddRow(
                check.Id,
                Markup.Escape(check.Claim),
                Markup.Escape(check.Article),
                Text(check.Predicted, check.Unit),
                Text(check.Measured, check.Unit),
                AgreementText.Of(stage.AgreementOf(check)),
                check.Band,
                check switch
                {
                    { Holds: true } => "[green]holds[/]",
                    { Holds: false, Judges: true } => "[red]fails[/]",
                    { Holds: false } => "[yellow]differs[/]",
                    _ => check.Verdict,
                });
        }

        return table;
    }

    private static string Text(double? value, string unit) => value is { } number ? NumberText.Of(number) + unit : "";
}
