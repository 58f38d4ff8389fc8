using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>One stage of <see cref="RunRecord"/>.</summary>
internal sealed record StageRecord
{
    public required string Stage { get; init; }

    public required string Title { get; init; }

    public required string Question { get; init; }

    /// <summary>One of <see cref="Outcomes"/>.</summary>
    public required string Outcome { get; init; }

    /// <summary>Why it is void or incomplete; otherwise null.</summary>
    public string? Reason { get; init; }

    /// <summary>How it differs from the published stage; with any of it, it is judged by what its knobs imply.</summary>
    public IReadOnlyList<string> Differences { get; init; } = [];

    /// <summary>What went wrong on purpose, in seconds of the load.</summary>
    public IReadOnlyList<FaultRecord> Faults { get; init; } = [];

    /// <summary>Why nobody predicts what its knobs imply; null where somebody does, and where it does not differ.</summary>
    public string? NotPredicted { get; init; }

    /// <summary>The stage whose first half this is; null when it was played by itself.</summary>
    public string? HalfOf { get; init; }

    public required DateTimeOffset StartedAt { get; init; }

    /// <summary>Every knob as it was applied, that is shortened. What is not here had the service's own default.</summary>
    public required IReadOnlyDictionary<string, string> Knobs { get; init; }

    /// <summary>The load as it was run.</summary>
    public required StepProfile Profile { get; init; }

    /// <summary>What was emulated.</summary>
    public required DeclaredEnvironment Environment { get; init; }

    /// <summary>What the driver saw; null in an incomplete stage, and in a half.</summary>
    public LoadResult? Load { get; init; }

    /// <summary>The queue after load, observation and the end of every Workflow; null in an incomplete stage, and in a half.</summary>
    public QueueCounters? Final { get; init; }

    /// <summary>Figure → what was measured and predicted.</summary>
    public required IReadOnlyDictionary<string, FigureRecord> Figures { get; init; }

    /// <summary>The verdict.</summary>
    public required IReadOnlyList<CheckRecord> Checks { get; init; }

    /// <summary>Width of a bin of the series.</summary>
    public required double BinSeconds { get; init; }

    /// <summary>The bins; also in the stage's CSV file.</summary>
    public required IReadOnlyList<Bin> Series { get; init; }

    /// <summary>What the model expected over time, in bins of the same width; none where nobody predicts what the knobs imply.</summary>
    public IReadOnlyList<PredictedBin> PredictedSeries { get; init; } = [];

    /// <summary>Where the lab has to differ from the article.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>How the figure of a check agrees with what is predicted; null where that is nothing, or a ratio of two stages.</summary>
    public Agreement? AgreementOf(CheckRecord check) =>
        check.RelativeTo is null && check.Predicted is not null ? Figures.GetValueOrDefault(check.Figure)?.Agreement : null;

    /// <param name="figures">Stage → figure → value, of all stages of the run.</param>
    /// <param name="whyVoid">Why the whole run is void; null when it is not.</param>
    /// <param name="reason">Why the run was broken off; null when it was not.</param>
    public static StageRecord Of(
        StageOutcome outcome,
        IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures,
        string? whyVoid,
        string? reason)
    {
        var plan = outcome.Plan;
        var record = Incomplete(plan, outcome) with { Reason = reason };
        if (outcome.Measured is not { } measured)
            return record;
        var verdicts = Verdict.Of(plan.Stage, plan.K, figures);
        whyVoid ??= Validity.ReasonAgainst(measured, plan.Options.Faults.Count > 0) ?? Validity.ReasonAgainst(verdicts);
        var forecast = record.Differences.Count > 0 ? Forecast.Of(plan, measured.Profile, measured.AtStart) : null;
        var records = FiguresOf(plan, figures[plan.Stage.Id], forecast);
        return record with
        {
            Outcome = whyVoid is null ? OutcomeOf(verdicts, forecast, records.Values) : Outcomes.Void,
            Reason = whyVoid,
            NotPredicted = forecast?.Gap,
            StartedAt = measured.Load.StartedAt,
            Load = outcome.IsHalf ? null : measured.Load,
            Final = outcome.IsHalf ? null : measured.Final,
            Figures = records,
            PredictedSeries = PredictedCurve.Of(plan, measured),
            Checks = [.. verdicts.Select(verdict => CheckRecord.Of(verdict, forecast))],
        };
    }

    /// <param name="forecast">What the stage's knobs imply; null: it is the published stage.</param>
    private static string OutcomeOf(IReadOnlyList<Verdict> verdicts, Forecast? forecast, IEnumerable<FigureRecord> figures)
    {
        var failing = verdicts.Where(verdict => verdict.Holds == false).ToList();
        return failing.Exists(verdict => verdict.Check.IsForAnyKnobs && forecast?.Judges(verdict.Check) != false) ? Outcomes.Broken
            : forecast is not null && figures.Any(figure => figure.Agreement is not (null or Agreement.AsPredicted)) ? Outcomes.Fails
            : forecast is null && failing.Count > 0 ? Outcomes.Fails
            : verdicts.Any(verdict => IsMissing(verdict) && forecast?.Judges(verdict.Check) != false) ? Outcomes.Partly
            : failing.Count == 0 ? Outcomes.Holds
            : Outcomes.Differs;
    }

    private static bool IsMissing(Verdict verdict) => verdict is { Holds: null, Check.RelativeTo: null };

    private static Dictionary<string, FigureRecord> FiguresOf(
        StagePlan plan, IReadOnlyDictionary<string, double> values, Forecast? forecast) =>
        FigureTable.All.Where(figure => values.ContainsKey(figure.Name)).ToDictionary(
            figure => figure.Name,
            figure => FigureRecord.Of(figure, values[figure.Name], forecast is null
                ? plan.Stage.Prediction(figure.Name, plan.K) is { } predicted ? new(predicted) : null
                : forecast.Figures.GetValueOrDefault(figure.Name)));

    private static StageRecord Incomplete(StagePlan plan, StageOutcome outcome)
    {
        var series = outcome.Measured?.Series ?? outcome.SoFar;
        var told = outcome.Measured?.Told ?? Sources.Everything;
        return new()
        {
            Stage = plan.Stage.Id,
            Title = plan.Stage.Title,
            Question = plan.Stage.Question,
            Outcome = Outcomes.Incomplete,
            Differences = plan.Differences,
            Faults = [.. plan.Options.Faults.Select(fault => FaultRecord.Of(fault, plan))],
            HalfOf = outcome.IsHalf ? plan.Stage.HalfOf : null,
            StartedAt = outcome.StartedAt,
            Knobs = plan.Knobs.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
            Profile = plan.Profile,
            Environment = plan.Environment,
            Figures = new Dictionary<string, FigureRecord>(),
            Checks = [],
            BinSeconds = plan.BinSeconds,
            Series = [.. series.Bins(plan.BinSeconds, plan.Profile.UsersAt).Select(bin => bin.Of(told))],
            Notes = plan.Stage.Notes,
        };
    }
}

/// <param name="Text">Without its times.</param>
/// <param name="From">Seconds since the load began.</param>
/// <param name="To">When it is over, at the latest with the stage.</param>
internal sealed record FaultRecord(string Text, double From, double To)
{
    public static FaultRecord Of(SimulatedFault fault, StagePlan plan) => new(
        fault.Text.Split(" at ")[0],
        fault.At / plan.K,
        Math.Min(plan.TotalSeconds, (fault.At + fault.Lasts ?? double.PositiveInfinity) / plan.K));
}
