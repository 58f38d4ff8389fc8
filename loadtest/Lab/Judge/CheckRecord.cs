using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <param name="Measured">Null: not judged, because it could not be known or is relative to a stage that was not played.</param>
/// <param name="Band">Where the figure had to be, as people write it.</param>
/// <param name="Judges">
/// Whether the stage is judged by it: a band that holds for any knobs, or any one where the knobs are as published.
/// </param>
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
    /// <param name="forecast">What changed knobs imply; null: it is the published stage.</param>
    public static CheckRecord Of(Verdict verdict, Forecast? forecast = null)
    {
        var check = verdict.Check;
        var record = Of(verdict, check.RelativeTo is null ? FigureTable.Find(check.Figure).Unit : "");
        return forecast is null
            ? record
            : record with
            {
                Predicted =
                    check.IsForAnyKnobs ? verdict.Predicted
                    : check.RelativeTo is null ? forecast.Figures.GetValueOrDefault(check.Figure)?.Value
                    : null,
                Judges = forecast.Judges(check),
            };
    }

    public static CheckRecord Of(Verdict verdict, string unit)
    {
        var check = verdict.Check;
        return new(
            check.Id,
            check.Claim,
            check.Figure,
            check.RelativeTo,
            check.Article,
            verdict.Predicted,
            verdict.Value,
            unit,
            $"{verdict.Band}{unit}",
            verdict.Holds,
            check.Why
        );
    }

    /// <summary>What a person reads last: <c>3 of 4 checks hold.</c> Those that nobody could judge are left out.</summary>
    public static string CountOf(IReadOnlyCollection<CheckRecord> checks) =>
        $"{checks.Count(check => check.Holds == true)} of {checks.Count(check => check.Holds is not null)} checks hold.";

    /// <summary>holds, fails, differs (as the knobs do), which stage it takes to say, or that nobody can.</summary>
    public string Verdict =>
        (Holds, RelativeTo) switch
        {
            (true, _) => Outcomes.Holds,
            (false, _) => Judges ? Outcomes.Fails : Outcomes.Differs,
            (null, null) => "not available",
            (null, var other) => $"needs stage {other}",
        };
}
