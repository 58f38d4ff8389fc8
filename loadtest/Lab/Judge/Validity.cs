using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>Determines whether a stage measured the application or a disturbance.</summary>
internal static class Validity
{
    /// <summary>The minimum share of the profile's requests that a sufficient load generator sends.</summary>
    private const double Sent = 0.95;

    /// <returns>Why the stage is invalid, in a sentence, or <c>null</c>.</returns>
    public static string? GetInvalidReason(Measured run, bool hasFaults = false)
    {
        // Users who wait for responses send less when the application is slow; open users send on schedule.
        var interval = run.Profile.RequestEveryMilliseconds * (1 - run.Profile.Jitter);
        var (sent, expected) = (run.Load.Sent, run.Profile.ExpectedRequests);
        if (sent < Sent * expected && run.Load.P95 < interval && !hasFaults)
            return $"The load generator fell behind: it sent {sent} of {expected:0} requests although responses were on time.";
        return null;
    }

    /// <returns>Why the stage is invalid, or <c>null</c> if a check was evaluated.</returns>
    public static string? GetInvalidReason(IReadOnlyList<CheckRecord> checks) =>
        checks.Any(check => check.Holds is not null) ? null : "None of the stage's checks could be evaluated.";
}
