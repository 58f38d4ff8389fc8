using System.Text.Json.Serialization;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>A stage of <see cref="RunRecord"/>.</summary>
/// <param name="Outcome">One of <see cref="Outcomes"/>.</param>
/// <param name="NotPredicted">Why changed settings have no prediction; otherwise, <c>null</c>.</param>
/// <param name="HalfOf">The stage whose first half this is, or <c>null</c>.</param>
/// <param name="Knobs">The applied, scaled settings; others had the service's default.</param>
/// <param name="Load"><c>null</c> for an incomplete stage or a half; also the final counters.</param>
/// <param name="Final">The queue after every Workflow has stopped.</param>
/// <param name="Notes">Necessary differences between the lab and the article.</param>
internal sealed record StageRecord(
    string Stage,
    string Title,
    string Question,
    string Outcome,
    string? Reason,
    string? NotPredicted,
    string? HalfOf,
    DateTimeOffset StartedAt,
    IReadOnlyDictionary<string, string> Knobs,
    StepProfile Profile,
    DeclaredEnvironment Environment,
    LoadResult? Load,
    QueueCounters? Final,
    IReadOnlyDictionary<string, FigureRecord> Figures,
    IReadOnlyList<CheckRecord> Checks,
    double BinSeconds,
    IReadOnlyList<Bin> Series,
    IReadOnlyList<string> Notes
)
{
    /// <summary>The differences from the published stage. With any, the prediction for its settings is checked.</summary>
    public IReadOnlyList<string> Differences { get; init; } = [];

    /// <summary>The injected faults, in seconds of the load.</summary>
    public IReadOnlyList<FaultRecord> Faults { get; init; } = [];

    /// <summary>The predicted time series in intervals of the same width; empty without a prediction.</summary>
    public IReadOnlyList<PredictedBin> PredictedSeries { get; init; } = [];

    /// <summary>A line for a workshop participant that replaces checks, predictions, and causes; <c>null</c> if they are shown.</summary>
    [JsonIgnore]
    public string? WhyHidden { get; init; }

    /// <summary>Returns the agreement of a check's metric with its prediction, if any.</summary>
    public Agreement? AgreementOf(CheckRecord check) =>
        check.RelativeTo is null && check.Predicted is not null
            ? Figures.GetValueOrDefault(check.Figure)?.Agreement
            : null;

    /// <param name="figures">The metrics of all stages, by stage and metric.</param>
    public static StageRecord Of(
        StageOutcome outcome,
        IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures,
        string? whyVoid,
        string? reason
    )
    {
        var plan = outcome.Plan;
        var record = Incomplete(plan, outcome) with { Reason = reason };
        if (outcome.Measured is not { } measured)
            return record;
        var forecast = record.Differences.Count > 0 ? Forecast.Of(plan, measured.Profile, measured.AtStart) : null;
        var checks = CheckRecord.Of(plan.Stage, plan.K, figures, forecast);
        var records = FiguresOf(plan, figures[plan.Stage.Id], forecast);
        var grade = OutcomeOf(checks, forecast, records.Values);
        whyVoid ??= Validity.GetInvalidReason(measured, plan.Options.Faults.Count > 0)
            ?? Disturbance.GetInvalidReason(measured, hasFailures: grade == Outcomes.Fails)
            ?? Validity.GetInvalidReason(checks);
        return record with
        {
            Outcome = whyVoid is null ? grade : Outcomes.Void,
            Reason = whyVoid,
            NotPredicted = forecast?.Gap,
            StartedAt = measured.Load.StartedAt,
            Load = outcome.IsHalf ? null : measured.Load,
            Final = outcome.IsHalf ? null : measured.Final,
            Figures = records,
            PredictedSeries = PredictedCurve.Of(plan, measured),
            Checks = checks,
        };
    }

    /// <param name="forecast"><c>null</c> for the published stage.</param>
    private static string OutcomeOf(
        IReadOnlyList<CheckRecord> checks,
        Forecast? forecast,
        IEnumerable<FigureRecord> figures
    )
    {
        var failing = checks.Where(check => check.Holds == false).ToList();
        if (failing.Exists(check => check.Judges && FigureTable.Find(check.Figure).IsForAnyKnobs))
            return Outcomes.Broken;
        if (forecast is not null && figures.Any(figure => figure.Agreement is not (null or Agreement.AsPredicted)))
            return Outcomes.Fails;
        if (forecast is null && failing.Count > 0)
            return Outcomes.Fails;
        if (checks.Any(check => check is { Holds: null, RelativeTo: null, Judges: true }))
            return Outcomes.Partly;
        return failing.Count == 0 ? Outcomes.Holds : Outcomes.Differs;
    }

    private static Dictionary<string, FigureRecord> FiguresOf(
        StagePlan plan,
        IReadOnlyDictionary<string, double> values,
        Forecast? forecast
    ) =>
        FigureTable
            .All.Where(figure => values.ContainsKey(figure.Name))
            .ToDictionary(
                figure => figure.Name,
                figure =>
                    FigureRecord.Of(
                        figure,
                        values[figure.Name],
                        forecast is null
                            ? plan.Stage.Prediction(figure.Name, plan.K) is { } predicted
                                ? new(predicted)
                                : null
                            : forecast.Figures.GetValueOrDefault(figure.Name)
                    )
            );

    private static StageRecord Incomplete(StagePlan plan, StageOutcome outcome)
    {
        var series = outcome.Measured?.Series ?? outcome.SoFar;
        var told = outcome.Measured?.Told ?? Sources.Everything;
        return new(
            plan.Stage.Id,
            plan.Stage.Title,
            plan.Stage.Question,
            Outcomes.Incomplete,
            Reason: null,
            NotPredicted: null,
            outcome.IsHalf ? plan.Stage.HalfOf : null,
            outcome.StartedAt,
            plan.Knobs.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
            plan.Profile,
            plan.Environment,
            Load: null,
            Final: null,
            new Dictionary<string, FigureRecord>(),
            Checks: [],
            plan.BinSeconds,
            [.. series.Bins(plan.BinSeconds, plan.Profile.UsersAt).Select(bin => bin.Of(told))],
            plan.Stage.Notes
        )
        {
            Differences = plan.Differences,
            Faults = [.. plan.Options.Faults.Select(fault => FaultRecord.Of(fault, plan))],
        };
    }
}

/// <param name="To">At the latest the end of the stage.</param>
internal sealed record FaultRecord(string Text, double From, double To)
{
    public static FaultRecord Of(StageFault fault, StagePlan plan) =>
        new(
            fault.Text.Split(" at ")[0],
            fault.Fault.FromSeconds / plan.K,
            Math.Min(plan.TotalSeconds, fault.Fault.ToSeconds / plan.K)
        );
}

/// <param name="Measured"><c>null</c> if the stage was interrupted.</param>
/// <param name="IsHalf">Whether this is the first half of another stage.</param>
internal sealed record StageOutcome(
    StagePlan Plan,
    DateTimeOffset StartedAt,
    Measured? Measured,
    Series SoFar,
    bool IsHalf = false
);
