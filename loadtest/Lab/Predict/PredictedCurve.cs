using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>The predicted time series of a stage.</summary>
internal sealed record PredictedBin(double Start, double End, double Completed, double Backlog);

/// <summary>Predicts the time series of a run with one simulation of its load.</summary>
internal static class PredictedCurve
{
    private const int Seed = 1;

    /// <returns>At most as many intervals as were measured; empty without a prediction.</returns>
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
