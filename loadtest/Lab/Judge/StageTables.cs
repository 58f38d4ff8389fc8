using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>The checks and metrics of a stage as tables.</summary>
internal static class StageTables
{
    /// <summary>Figures that describe the outcome of any stage without naming a cause.</summary>
    public static IReadOnlyList<string> MainFigures { get; } =
    [
        "completed.plateau",
        "completed.lastThird",
        "outgoing.plateau",
        "redelivered",
        "deadLettered.final",
        "http.5xx",
        "backlog.loadEnd",
        "node.busiest",
    ];

    public static Table Checks(StageRecord stage) =>
        Table.Of(
            $"Stage {stage.Stage}: {stage.Title}",
            [
                "",
                "check",
                "article",
                "predicted#",
                "measured#",
                "",
                stage.Differences.Count > 0 ? "published band#" : "band#",
                "verdict",
            ],
            stage.Checks,
            check =>
                [
                    new(check.Id, Tone.Quiet),
                    new(check.Claim, Note: check is { Holds: false, Judges: true } ? $"If not: {check.Why}." : ""),
                    new(check.Article, Tone.Quiet),
                    Cell.Of(check.Predicted, check.Unit),
                    Cell.Of(check.Measured, check.Unit, Tone.Strong),
                    new(AgreementText.Of(stage.AgreementOf(check)), Tone.Quiet),
                    check.Band,
                    VerdictOf(check),
                ]
        );

    public static Table Implied(StageRecord stage) =>
        Table.Of(
            $"Stage {stage.Stage}, checked for its knobs",
            ["figure", "meaning", "predicted#", "expected#", "measured#", "verdict"],
            stage.Figures.Where(figure => figure.Value.Agreement is not null),
            figure =>
                [
                    figure.Key,
                    new(figure.Value.Meaning, Tone.Quiet),
                    Cell.Of(figure.Value.Predicted, figure.Value.Unit),
                    figure.Value.Expected,
                    Cell.Of(figure.Value.Value, figure.Value.Unit, Tone.Strong),
                    new(
                        AgreementText.Of(figure.Value.Agreement),
                        figure.Value.Agreement == Agreement.AsPredicted ? Tone.Good : Tone.Bad
                    ),
                ]
        );

    /// <summary>The main figures, for a participant who must not see checks and predictions yet.</summary>
    public static Table Measured(StageRecord stage) =>
        Table.Of(
            $"Stage {stage.Stage}: {stage.Title}",
            ["figure", "meaning", "measured#"],
            stage.Figures.Where(figure => MainFigures.Contains(figure.Key)),
            figure =>
                [
                    figure.Key,
                    new(figure.Value.Meaning, Tone.Quiet),
                    Cell.Of(figure.Value.Value, figure.Value.Unit, Tone.Strong),
                ]
        );

    public static Table Knobs(IReadOnlyList<KnobDifference> knobs) =>
        Table.Of("Knobs that differ", ["of", "knob", "first", "second"], knobs, difference =>
            [difference.Stage, difference.Knob, Given(difference.First), new(Given(difference.Second), Tone.Strong)]
        );

    public static Table Figures(IReadOnlyList<FigureDifference> figures) =>
        Table.Of(
            "Figures that differ",
            ["of", "figure", "meaning", "first#", "second#", "difference#", "noise#"],
            figures,
            difference =>
                [
                    difference.Stage,
                    difference.Figure,
                    new(difference.Meaning, Tone.Quiet),
                    Cell.Of(difference.First, difference.Unit),
                    Cell.Of(difference.Second, difference.Unit, Tone.Strong),
                    difference.Share is { } share ? $"{share:+0.0 %;−0.0 %}" : "",
                    $"± {NumberText.Of(difference.Noise)}{difference.Unit}",
                ]
        );

    private static Cell VerdictOf(CheckRecord check) =>
        new(
            check.Verdict,
            check switch
            {
                { Holds: true } => Tone.Good,
                { Holds: false, Judges: true } => Tone.Bad,
                { Holds: false } => Tone.Odd,
                _ => Tone.Quiet,
            }
        );

    private static string Given(string value) => value.Length == 0 ? "the service's default" : value;
}
