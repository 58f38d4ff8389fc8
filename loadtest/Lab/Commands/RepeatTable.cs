using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>Several runs of the same stages: median, range and mean of the figures, and whether the prediction is in their noise.</summary>
internal static class RepeatTable
{
    public static void Write(IAnsiConsole console, IReadOnlyList<RunRecord> runs)
    {
        var table = new Table().Border(TableBorder.Rounded)
            .AddColumns("", "check", "median", "range", "mean, 95 % (Student's t)", "predicted", "difference", "band", "holds");
        var judged = runs.SelectMany(run => run.Stages).SelectMany(stage => stage.Checks).Where(check => check.Measured is not null);
        foreach (var checks in judged.GroupBy(check => check.Id))
        {
            var first = checks.First();
            double[] values = [.. checks.Select(check => check.Measured!.Value).Order()];
            var repeats = new Repeats(values);
            table.AddRow(
                first.Id,
                Markup.Escape(first.Claim),
                NumberText.Of(Median(values)) + first.Unit,
                $"{NumberText.Of(values[0])}–{NumberText.Of(values[^1])}{first.Unit}",
                $"{NumberText.Of(repeats.Mean)} ± {NumberText.Of(repeats.HalfWidth)}{first.Unit}",
                first.Predicted is { } predicted ? NumberText.Of(predicted) + first.Unit : "",
                Against(first.Predicted, repeats),
                first.Band,
                $"{checks.Count(check => check.Holds == true)} of {values.Length}");
        }

        console.Write(table);
    }

    /// <summary>Whether the mean of more and more runs may come to the prediction.</summary>
    internal static string Against(double? predicted, Repeats repeats) =>
        predicted is not { } value || double.IsNaN(repeats.HalfWidth) ? ""
        : Math.Abs(repeats.Mean - value) > repeats.HalfWidth ? FigureDifference.MoreThanNoise
        : FigureDifference.WithinNoise;

    /// <param name="sorted">At least one.</param>
    internal static double Median(IReadOnlyList<double> sorted) => (sorted[(sorted.Count - 1) / 2] + sorted[sorted.Count / 2]) / 2;
}
