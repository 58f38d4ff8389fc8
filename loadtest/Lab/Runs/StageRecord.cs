using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Runs;

/// <summary>One stage of <see cref="RunRecord"/>.</summary>
/// <param name="Outcome">holds, fails, void, or incomplete.</param>
/// <param name="Reason">Why it is void or incomplete; otherwise null.</param>
/// <param name="HalfOf">The stage whose first half this is; null when it was played by itself.</param>
/// <param name="Knobs">Every knob as it was applied, that is shortened. What is not here had the service's own default.</param>
/// <param name="Profile">The load as it was run.</param>
/// <param name="Environment">What was emulated.</param>
/// <param name="Load">What the driver saw; null in an incomplete stage, and in a half.</param>
/// <param name="Final">The queue after load, observation and the end of every Workflow; null in an incomplete stage, and in a half.</param>
/// <param name="Figures">Figure → what was measured and predicted.</param>
/// <param name="Checks">The verdict.</param>
/// <param name="BinSeconds">Width of a bin of the series.</param>
/// <param name="Series">The bins; also in the stage's CSV file.</param>
/// <param name="Notes">Where the lab has to differ from the article.</param>
internal sealed record StageRecord(
    string Stage,
    string Title,
    string Question,
    string Outcome,
    string? Reason,
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
    IReadOnlyList<string> Notes)
{
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
            Figures = FigureTable.All.Where(figure => figures[plan.Stage.Id].ContainsKey(figure.Name)).ToDictionary(
                figure => figure.Name,
                figure => new FigureRecord(
                    figures[plan.Stage.Id][figure.Name],
                    figure.Unit,
                    plan.Stage.Predicted(figure.Name, plan.K),
                    figure.Meaning)),
            Checks = [.. verdicts.Select(CheckRecord.Of)],
        };
    }

    private static StageRecord Incomplete(StagePlan plan, StageOutcome outcome)
    {
        var series = outcome.Measured?.Series ?? outcome.SoFar;
        return new(
            plan.Stage.Id, plan.Stage.Title, plan.Stage.Question, Outcomes.Incomplete, null,
            outcome.IsHalf ? plan.Stage.HalfOf : null, outcome.StartedAt,
            plan.Knobs.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
            plan.Profile, plan.Environment, null, null, new Dictionary<string, FigureRecord>(), [], plan.BinSeconds,
            [.. series.Bins(plan.BinSeconds, plan.Profile.UsersAt).Select(bin => bin.Of(outcome.Measured?.Told ?? Sources.Everything))],
            plan.Stage.Notes);
    }
}
