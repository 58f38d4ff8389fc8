using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the model expects of a stage over time.</summary>
/// <param name="Start">Seconds since the load began.</param>
/// <param name="Backlog">Messages that are not settled for good, at the end.</param>
internal sealed record PredictedBin(double Start, double End, double Completed, double Backlog);

/// <summary>The curve behind the measured one: one simulation with the load as it was played.</summary>
internal static class PredictedCurve
{
    private const int Seed = 1;

    /// <returns>As many bins as were measured at most; none where nobody predicts what the knobs imply.</returns>
    public static IReadOnlyList<PredictedBin> Of(StagePlan plan, Measured measured)
    {
        if (Forecast.GapOf(plan) is not null)
            return [];
        var played = plan with
        {
            Profile = measured.Profile,
            Knobs = plan.Knobs.With("queue.messagesAtStart", measured.AtStart),
        };
        var bins = SimulatedStage.Play(played, Seed).Series.Bins(plan.BinSeconds, measured.Profile.UsersAt);
        return
        [
            .. bins.TakeWhile(bin => bin.End <= measured.Series.End + 1e-9)
                .Select(bin => new PredictedBin(bin.Start, bin.End, bin.Completed, bin.Backlog)),
        ];
    }
}
