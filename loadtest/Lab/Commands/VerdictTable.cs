using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>The verdict on a terminal.</summary>
internal static class VerdictTable
{
    public static void Write(IAnsiConsole output, RunPlan plan, RunRecord run)
    {
        foreach (var stage in run.Stages)
            Write(output, stage, plan.Options.IsChanged);
        if (plan.Options.IsChanged)
            output.WriteLine("The run was changed on the command line: it is not the published one.");
        if (run.Telemetry?.FileGap is { } gap)
            output.WriteLine(gap);
        var checks = run.Stages.SelectMany(stage => stage.Checks).ToList();
        var unknown = checks
            .Where(check => check is { Holds: null, RelativeTo: null })
            .Select(check => $"{check.Id} ({check.Figure})")
            .ToList();
        var notAvailable = unknown.Count > 0 ? $", {unknown.Count} not available: {string.Join(", ", unknown)}" : "";
        output.WriteLine(
            $"{checks.Count(check => check.Holds == true)} of {checks.Count(check => check.Holds is not null)} checks hold{notAvailable}. "
            + $"Report: {Path.Combine(plan.Options.Folder, "report.html")}");
    }

    private static void Write(IAnsiConsole output, StageRecord stage, bool isChanged)
    {
        output.Write(Checks(stage));
        if (stage.Outcome == Outcomes.Void)
            output.WriteLine($"Stage {stage.Stage} is void: {stage.Reason}");
        foreach (var check in stage.Checks.Where(check => check.Holds == false))
        {
            output.WriteLine(isChanged
                ? $"{check.Id} does not hold with the changed settings. In the published stage that would mean: {check.Why}."
                : $"{check.Id} fails: {check.Why}.");
        }

        foreach (var note in stage.Notes)
            output.WriteLine(note);
    }

    private static Table Checks(StageRecord stage)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns("", "check", "article", "predicted", "measured", "band", "verdict")
            .Title(Markup.Escape($"Stage {stage.Stage}: {stage.Title}"));
        foreach (var check in stage.Checks)
        {
            table.AddRow(
                check.Id,
                Markup.Escape(check.Claim),
                Markup.Escape(check.Article),
                Text(check.Predicted, check.Unit),
                Text(check.Measured, check.Unit),
                check.Band,
                check.Holds switch { true => "[green]holds[/]", false => "[red]fails[/]", null => check.Verdict });
        }

        return table;
    }

    private static string Text(double? value, string unit) => value is { } number ? NumberText.Of(number) + unit : "";
}
