using System.Text.Json.Serialization;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>One stage of <see cref="RunRecord"/>.</summary>
/// <param name="Outcome">One of <see cref="Outcomes"/>.</param>
/// <param name="NotPredicted">Why nobody predicts what its knobs imply; null where somebody does, and where it does not differ.</param>
/// <param name="HalfOf">The stage whose first half this is; null when it was played by itself.</param>
/// <param name="Knobs">Each as it was applied, that is shortened. What is not here had the service's own default.</param>
/// <param name="Load">What the driver saw; null in an incomplete stage, and in a half.</param>
/// <param name="Final">The queue after load, observation and the end of every Workflow; null in an incomplete stage, and in a half.</param>
/// <param name="Series">The bins.</param>
/// <param name="Notes">Where the lab has to differ from the article.</param>
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
    /// <summary>How it differs from the published stage; with any of it, it is judged by what its knobs imply.</summary>
    public IReadOnlyList<string> Differences { get; init; } = [];

    /// <summary>What went wrong on purpose, in seconds of the load.</summary>
    public IReadOnlyList<FaultRecord> Faults { get; init; } = [];

    /// <summary>What the model expected over time, in bins of the same width; none where nobody predicts what the knobs imply.</summary>
    public IReadOnlyList<PredictedBin> PredictedSeries { get; init; } = [];

    /// <summary>A line for a workshop participant that replaces checks, predictions, and causes; <c>null</c> if they are shown.</summary>
    [JsonIgnore]
    public string? WhyHidden { get; init; }

    /// <summary>How the figure of a check agrees with what is predicted; null where that is nothing, or a ratio of two stages.</summary>
    public Agreement? AgreementOf(CheckRecord check) =>
        check.RelativeTo is null && check.Predicted is not null
            ? Figures.GetValueOrDefault(check.Figure)?.Agreement
            : null;

    /// <param name="figures">Stage → figure → value, of all stages of the run.</param>
    /// <param name="whyVoid">Why the whole run is void; null when it is not.</param>
    /// <param name="reason">Why the run was broken off; null when it was not.</param>
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
        whyVoid ??= Validity.ReasonAgainst(measured, plan.Options.Faults.Count > 0)
            ?? Disturbance.ReasonAgainst(measured, hasFailures: grade == Outcomes.Fails)
            ?? Validity.ReasonAgainst(checks);
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

    /// <param name="forecast">What the stage's knobs imply; null: it is the published stage.</param>
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

/// <param name="Text">Without its times.</param>
/// <param name="From">Seconds since the load began.</param>
/// <param name="To">When it is over, at the latest with the stage.</param>
internal sealed record FaultRecord(string Text, double From, double To)
{
    public static FaultRecord Of(StageFault fault, StagePlan plan) =>
        new(
            fault.Text.Split(" at ")[0],
            fault.Fault.FromSeconds / plan.K,
            Math.Min(plan.TotalSeconds, fault.Fault.ToSeconds / plan.K)
        );
}

/// <summary>What came of one stage.</summary>
/// <param name="Measured">Null: it was broken off.</param>
/// <param name="IsHalf">Whether it is the first half of another stage.</param>
internal sealed record StageOutcome(
    StagePlan Plan,
    DateTimeOffset StartedAt,
    Measured? Measured,
    Series SoFar,
    bool IsHalf = false
);
