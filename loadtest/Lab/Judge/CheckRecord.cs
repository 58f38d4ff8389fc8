using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

internal sealed record CheckRecord
{
    public required string Id { get; init; }

    public required string Claim { get; init; }

    public required string Figure { get; init; }

    public string? RelativeTo { get; init; }

    public required string Article { get; init; }

    public double? Predicted { get; init; }

    /// <summary>Null: not judged, because it could not be known or is relative to a stage that was not played.</summary>
    public double? Measured { get; init; }

    public required string Unit { get; init; }

    /// <summary>Where the figure had to be, as people write it.</summary>
    public required string Band { get; init; }

    /// <summary>Null: not judged.</summary>
    public bool? Holds { get; init; }

    /// <summary>Whether the stage is judged by it: a band that holds for any knobs, or any one where the knobs are as published.</summary>
    public bool Judges { get; init; } = true;

    public required string Why { get; init; }

    /// <param name="forecast">What changed knobs imply; null: it is the published stage.</param>
    public static CheckRecord Of(Verdict verdict, Forecast? forecast = null)
    {
        var check = verdict.Check;
        var record = Of(verdict, check.RelativeTo is null ? FigureTable.Find(check.Figure).Unit : "");
        return forecast is null ? record : record with
        {
            Predicted = check.IsForAnyKnobs ? verdict.Predicted
                : check.RelativeTo is null ? forecast.Figures.GetValueOrDefault(check.Figure)?.Value
                : null,
            Judges = forecast.Judges(check),
        };
    }

    /// <param name="unit">Of the figure; empty where it is a ratio.</param>
    public static CheckRecord Of(Verdict verdict, string unit) => new()
    {
        Id = verdict.Check.Id,
        Claim = verdict.Check.Claim,
        Figure = verdict.Check.Figure,
        RelativeTo = verdict.Check.RelativeTo,
        Article = verdict.Check.Article,
        Predicted = verdict.Predicted,
        Measured = verdict.Value,
        Unit = unit,
        Band = $"{verdict.Band}{unit}",
        Holds = verdict.Holds,
        Why = verdict.Check.Why,
    };

    /// <summary>What a person reads last: <c>3 of 4 checks hold.</c> Those that nobody could judge are left out.</summary>
    public static string CountOf(IReadOnlyCollection<CheckRecord> checks) =>
        $"{checks.Count(check => check.Holds == true)} of {checks.Count(check => check.Holds is not null)} checks hold.";

    /// <summary>holds, fails, differs (as the knobs do), which stage it takes to say, or that nobody can.</summary>
    public string Verdict => (Holds, RelativeTo) switch
    {
        (true, _) => Outcomes.Holds,
        (false, _) => Judges ? Outcomes.Fails : Outcomes.Differs,
        (null, null) => "not available",
        (null, var other) => $"needs stage {other}",
    };
}
