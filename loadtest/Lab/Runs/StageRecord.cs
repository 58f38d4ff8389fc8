using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Runs;

/// <summary>One stage of <see cref="RunRecord"/>.</summary>
internal sealed record StageRecord
{
    public required string Stage { get; init; }

    public required string Title { get; init; }

    public required string Question { get; init; }

    /// <summary>holds, fails, void, or incomplete.</summary>
    public required string Outcome { get; init; }

    /// <summary>Why it is void or incomplete; otherwise null.</summary>
    public string? Reason { get; init; }

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

    /// <summary>Where the lab has to differ from the article.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

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
        whyVoid ??= Validity.ReasonAgainst(measured) ?? Validity.ReasonAgainst(verdicts);
        return record with
        {
            Outcome = whyVoid is not null ? Outcomes.Void
                : verdicts.Any(verdict => verdict.Holds == false) ? Outcomes.Fails
                : Outcomes.Holds,
            Reason = whyVoid,
            StartedAt = measured.Load.StartedAt,
            Load = outcome.IsHalf ? null : measured.Load,
            Final = outcome.IsHalf ? null : measured.Final,
            Figures = FiguresOf(plan, figures[plan.Stage.Id]),
            Checks = [.. verdicts.Select(CheckRecord.Of)],
        };
    }

    private static Dictionary<string, FigureRecord> FiguresOf(StagePlan plan, IReadOnlyDictionary<string, double> values) =>
        FigureTable.All.Where(figure => values.ContainsKey(figure.Name)).ToDictionary(
            figure => figure.Name,
            figure => new FigureRecord(
                values[figure.Name], figure.Unit, plan.Stage.Predicted(figure.Name, plan.K), figure.Meaning));

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
