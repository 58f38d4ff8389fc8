using DroneDelivery.Lab.Judge;
using DroneDelivery.Model.Figures;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <summary>Several runs of the same stages: median, range and mean of the figures, and whether the prediction is in their noise.</summary>
internal static class RepeatTable
{
    public static void Write(IAnsiConsole console, IReadOnlyList<RunRecord> runs)
    {
        var judged = runs.SelectMany(run => run.Stages).SelectMany(stage => stage.Checks).Where(check => check.Measured is not null);
        console.Write(Table.Of(
            "", ["", "check", "median#", "range#", "mean, 95 % (Student's t)#", "predicted#", "difference", "band#", "holds"],
            judged.GroupBy(check => check.Id), RowOf));
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
