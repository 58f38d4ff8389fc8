using System.Text.RegularExpressions;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>The user's prediction of a metric.</summary>
internal sealed partial record Guess(string Figure, double Value)
{
    private const string Rate = "completed.plateau",
        Peak = "completed.peak";

    /// <summary>Parses <c>12/s</c>, <c>12</c> or <c>backlog.loadEnd=2500</c>. The default metric is the rate at full load.</summary>
    public static Guess Parse(string text)
    {
        var parts = text.Split('=', 2, StringSplitOptions.TrimEntries);
        var figure = FigureTable.Find(parts.Length == 2 ? parts[0] : Rate);
        var unit = figure.Unit.Trim();
        var number = parts[^1].EndsWith(unit, StringComparison.Ordinal) ? parts[^1][..^unit.Length] : parts[^1];
        return double.TryParse(number, out var value)
            ? new(figure.Name, value)
            : throw new BadInputException(
                $"--predict {text}: expected a number, such as 20/s for {Rate}, or FIGURE=NUMBER, such as backlog.loadEnd=1000."
            );
    }

    /// <summary>Compares the prediction with the measurement, one line each; empty without the metric.</summary>
    public IReadOnlyList<string> Judge(StageRecord stage)
    {
        if (stage.Figures.GetValueOrDefault(Figure) is not { } measured || !double.IsFinite(measured.Value))
            return [];
        var figure = FigureTable.Find(Figure);
        return
        [
            $"Stage {stage.Stage}, {figure.Meaning}: {Show(measured.Value)} was measured.",
            .. Article(stage),
            .. measured.Predicted is { } model
                ? [$"  The model predicted {Show(model)}: {Compare(figure, model, measured.Value)}."]
                : Array.Empty<string>(),
            $"  You predicted {Show(Value)}: {Compare(figure, Value, measured.Value)}.",
        ];

        string Show(double value) => NumberText.Of(value) + figure.Unit;
    }

    private IEnumerable<string> Article(StageRecord stage)
    {
        // The article lists only the peak of this rate.
        var check = stage.Checks.FirstOrDefault(other => other.Figure == Figure && other.RelativeTo is null)
            ?? (
                Figure == Rate
                    ? stage.Checks.FirstOrDefault(other => other.Figure == Peak && other.RelativeTo is null)
                    : null
            );
        if (check is null || stage.Differences.Count > 0 || check.Measured is not { } measured)
            yield break;
        // Bounds and other units can't be compared.
        var figure = FigureTable.Find(check.Figure);
        var number = Number().Match(check.Article);
        if (!number.Success || figure.Unit.Trim() is not { Length: > 0 } unit || number.Groups["unit"].Value != unit)
            yield break;
        var said = double.Parse(number.Groups["number"].Value);
        var of = check.Figure == Figure ? "" : " in the best 5 s";
        yield return $"  The article reports {check.Article}{of}: {Compare(figure, said, measured)}.";
    }

    private static string Compare(Figure figure, double said, double measured) =>
        new Expected(said).Compare(figure, measured) switch
        {
            Agreement.AsPredicted => "right",
            Agreement.Lower => "too high",
            _ => "too low",
        };

    [GeneratedRegex(@"^(about )?(?<number>[0-9][0-9,]*(\.[0-9]+)?) ?(?<unit>\S*)")]
    private static partial Regex Number();
}
