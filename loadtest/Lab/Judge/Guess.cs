using System.Text.RegularExpressions;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>What somebody expected before the run.</summary>
internal sealed partial record Guess(string Figure, double Value)
{
    private const string Rate = "completed.plateau",
        Peak = "completed.peak";

    /// <summary>Reads <c>12/s</c>, <c>12</c> or <c>backlog.loadEnd=2500</c>; without a figure it is the rate with all users.</summary>
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

    /// <summary>Who was right about a stage, in a line each; empty where the stage does not have the figure.</summary>
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
                ? [$"  The model said {Show(model)}: {Compare(figure, model, measured.Value)}."]
                : Array.Empty<string>(),
            $"  You said {Show(Value)}: {Compare(figure, Value, measured.Value)}.",
        ];

        string Show(double value) => NumberText.Of(value) + figure.Unit;
    }

    private IEnumerable<string> Article(StageRecord stage)
    {
        // The article has no mean of this rate, only its peak.
        var check = stage.Checks.FirstOrDefault(it => it.Figure == Figure && it.RelativeTo is null)
            ?? (Figure == Rate ? stage.Checks.FirstOrDefault(it => it.Figure == Peak && it.RelativeTo is null) : null);
        if (check is null || stage.Differences.Count > 0 || check.Measured is not { } measured)
            yield break;
        // A bound or a number of another unit is no guess.
        var figure = FigureTable.Find(check.Figure);
        var number = Number().Match(check.Article);
        if (!number.Success || figure.Unit.Trim() is not { Length: > 0 } unit || number.Groups["unit"].Value != unit)
            yield break;
        var said = double.Parse(number.Groups["number"].Value);
        var of = check.Figure == Figure ? "" : " in the best 5 s";
        yield return $"  The article said {check.Article}{of}: {Compare(figure, said, measured)}.";
    }

    /// <summary>The tolerance is the same for all three.</summary>
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
