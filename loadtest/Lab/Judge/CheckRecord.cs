using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <param name="Measured"><c>null</c> if unknown, or relative to a stage that wasn't run.</param>
/// <param name="Judges">Whether the check decides the outcome: it applies to all settings, or the stage has its published settings.</param>
internal sealed record CheckRecord(
    string Id,
    string Claim,
    string Figure,
    string? RelativeTo,
    string Article,
    double? Predicted,
    double? Measured,
    string Unit,
    string Band,
    bool? Holds,
    string Why,
    bool Judges = true
)
{
    /// <param name="figures">The metrics of all stages, by stage and metric.</param>
    /// <param name="forecast">The prediction for changed settings, or <c>null</c> for the published stage.</param>
    public static IReadOnlyList<CheckRecord> Of(
        Stage stage,
        double k,
        IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures,
        Forecast? forecast = null
    ) =>
        [
            .. stage.Checks.Select(check =>
                Of(
                    check,
                    Relate(check, FigureOf(figures, stage.Id, check), other => FigureOf(figures, other, check)),
                    check.RelativeTo is null ? FigureTable.Find(check.Figure).Unit : "",
                    check.BandAt(k)
                ) with
                {
                    Predicted = PredictionOf(check, stage, k, forecast),
                    Judges = forecast?.Judges(check) != false,
                }
            ),
        ];

    public static CheckRecord Of(Check check, double? measured, string unit, Band band) =>
        new(
            check.Id,
            check.Claim,
            check.Figure,
            check.RelativeTo,
            check.Article,
            Predicted: null,
            measured,
            unit,
            $"{band}{unit}",
            measured is { } value ? band.Contains(value) : null,
            check.Why
        );

    private static double? PredictionOf(Check check, Stage stage, double k, Forecast? forecast)
    {
        if (forecast is null || check.IsForAnyKnobs)
        {
            return Relate(check, stage.Prediction(check.Figure, k), other =>
                Stage.Load(other).Prediction(check.Figure, k)
            );
        }
        return check.RelativeTo is null ? forecast.Figures.GetValueOrDefault(check.Figure)?.Value : null;
    }

    private static double? FigureOf(
        IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures,
        string stage,
        Check check
    ) =>
        figures.TryGetValue(stage, out var all) && all.TryGetValue(FigureTable.Find(check.Figure).Name, out var value)
            ? value
            : null;

    private static double? Relate(Check check, double? own, Func<string, double?> ofOther) =>
        check.RelativeTo is { } other ? own / ofOther(other) : own;

    /// <summary>Returns a summary such as <c>3 of 4 checks hold.</c></summary>
    public static string CountOf(IReadOnlyCollection<CheckRecord> checks) =>
        $"{checks.Count(check => check.Holds == true)} of {checks.Count(check => check.Holds is not null)} checks hold.";

    /// <summary>The result as text.</summary>
    public string Verdict =>
        (Holds, RelativeTo) switch
        {
            (true, _) => Outcomes.Holds,
            (false, _) => Judges ? Outcomes.Fails : Outcomes.Differs,
            (null, null) => "not available",
            (null, var other) => $"needs stage {other}",
        };
}
