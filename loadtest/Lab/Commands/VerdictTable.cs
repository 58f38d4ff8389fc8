using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>The verdict on a terminal.</summary>
internal static class VerdictTable
{
    public static void Write(RunPlan plan, RunRecord run)
    {
        Terminal.Output.Write(Checks(run));
        foreach (var check in run.Checks.Where(check => !check.Holds))
            Terminal.Output.WriteLine($"{check.Id} fails: {check.Why}.");
        foreach (var note in plan.Stage.Notes)
            Terminal.Output.WriteLine(note);
        if (plan.IsChanged)
            Terminal.Output.WriteLine("The run was changed on the command line: it is not the published stage.");
        Terminal.Output.WriteLine($"Report: {Path.Combine(plan.Folder, "report.html")}");
    }

    private static Table Checks(RunRecord run)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns("", "check", "article", "predicted", "measured", "band", "verdict");
        foreach (var check in run.Checks)
        {
            var unit = FigureTable.Find(check.Figure).Unit;
            table.AddRow(
                check.Id, check.Claim, check.Article, check.Predicted is { } predicted ? NumberText.Of(predicted) + unit : "", NumberText.Of(check.Measured) + unit, check.Band,
                check.Holds ? "[green]holds[/]" : "[red]fails[/]");
        }

        return table;
    }
}
