using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Cli;

/// <summary>A setting played in the lab.</summary>
/// <param name="Trial">Null: it says nothing, see <paramref name="Void"/>.</param>
/// <param name="Void">Why the measurement does not count; null: it does.</param>
internal sealed record LabTrial(Trial? Trial, IReadOnlyList<Miss> Misses, string? Void, string Folder)
{
    // A drain that did not come is none of them: it says that the queue did not become empty.
    private static readonly string[] Needed =
        ["incoming.plateau", "completed.plateau", "redelivered", "deadLettered.final", "http.5xx"];

    public bool Holds => Trial is not null && Misses.Count == 0;

    public bool Fails => Trial is not null && Misses.Count > 0;

    public static LabTrial Of(RunRecord record, Goal goal, string folder)
    {
        var stage = record.Stages[0];
        if (stage.Outcome is Outcomes.Void or Outcomes.Incomplete)
            return new(null, [], stage.Reason ?? stage.Outcome, folder);
        if (Array.Find(Needed, figure => !double.IsFinite(Of(stage, figure))) is { } missing)
            return new(null, [], $"{missing} is not known.", folder);
        var trial = new Trial(
            Of(stage, "incoming.plateau"), Of(stage, "completed.plateau"), Of(stage, "redelivered"), Of(stage, "deadLettered.final"),
            Of(stage, "http.5xx"),
            Of(stage, "drain") is var drain && double.IsFinite(drain) ? drain * record.K : double.PositiveInfinity,
            Of(stage, "node.busiest"))
        {
            P95 = Of(stage, "telemetry.ageP95"),
        };
        return new(trial, [.. goal.MissesOf(trial)], null, folder);
    }

    private static double Of(StageRecord stage, string figure) => stage.Figures.GetValueOrDefault(figure)?.Value ?? double.NaN;
}
