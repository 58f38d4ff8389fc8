using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>
/// Determines whether the real machine disturbed a stage. If it did, a failed check proves nothing about the application.
/// </summary>
internal static class Disturbance
{
    private const string Advice = "Close other programs, or use a machine with more cores.";

    /// <summary>The machine's CPU utilization above which no metric is trusted.</summary>
    public const double MaxBusy = 0.85;

    private const double MaxStolen = 0.05,
        MaxLateHolds = 0.25;

    /// <summary>
    /// Limits above which a failed check isn't trusted. In the busiest stages, a quiet two-core machine was 77 % busy and completed 2 % of
    /// the reservations late; a saturated one, 100 % and 23 %.
    /// </summary>
    private const double BusyWhenFailing = 0.80,
        StolenWhenFailing = 0.02,
        LateHoldsWhenFailing = 0.10;

    /// <returns>Why the stage is invalid, as a sentence; <c>null</c> if it is valid, or unknown.</returns>
    public static string? GetInvalidReason(Measured run, bool hasFailures)
    {
        if (run.Stolen > (hasFailures ? StolenWhenFailing : MaxStolen))
        {
            return $"Other virtual machines took {run.Stolen:P0} of this machine's CPU during the load. "
                + "Run again when its host is less busy.";
        }
        if (run.Machine > (hasFailures ? BusyWhenFailing : MaxBusy))
            return $"The machine was the bottleneck: its CPU was {run.Machine:P0} busy during the load. {Advice}";
        if (run.LateHolds > (hasFailures ? LateHoldsWhenFailing : MaxLateHolds))
        {
            return $"The machine was too slow: {run.LateHolds:P0} of the emulated CPU reservations ended more than 5 ms late. "
                + Advice;
        }
        return null;
    }
}
