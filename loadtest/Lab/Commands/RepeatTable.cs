using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>Several runs of the same stages: median and range of each check's figure.</summary>
internal static class RepeatTable
{
    public static void Write(IAnsiConsole console, IReadOnlyList<RunRecord> runs)
    {
        var table = new Table().Border(TableBorder.Rounded).AddColumns("", "check", "predicted", "median", "range", "band", "holds");
        var judged = runs.SelectMany(run => run.Stages).SelectMany(stage => stage.Checks).Where(check => check.Measured is not null);
        foreach (var checks in judged.GroupBy(check => check.Id))
        {
            var first = checks.First();
            double[] values = [.. checks.Select(check => check.Measured!.Value).Order()];
            table.AddRow(
                first.Id,
                Markup.Escape(first.Claim),
                first.Predicted is { } predicted ? NumberText.Of(predicted) + first.Unit : "",
                NumberText.Of(Median(values)) + first.Unit,
                $"{NumberText.Of(values[0])}–{NumberText.Of(values[^1])}{first.Unit}",
                first.Band,
                $"{checks.Count(check => check.Holds == true)} of {values.Length}");
        }

        console.Write(table);
    }

    /// <param name="sorted">At least one.</param>
    internal static double Median(IReadOnlyList<double> sorted) => (sorted[(sorted.Count - 1) / 2] + sorted[sorted.Count / 2]) / 2;
}
