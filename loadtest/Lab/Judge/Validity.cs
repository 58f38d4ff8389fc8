using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>Whether a stage measured the application, or something that was in its way.</summary>
internal static class Validity
{
    /// <summary>A generator that keeps up sends at least this share of what the profile asks for.</summary>
    private const double Sent = 0.95;

    /// <returns>Why the figures mean nothing, in a sentence; null when they do mean something.</returns>
    /// <param name="hasFaults">Whether users had to wait on purpose.</param>
    public static string? ReasonAgainst(Measured run, bool hasFaults = false)
    {
        // Users who wait for answers send less, and that is the application's doing; those who do not wait have no excuse.
        var interval = run.Profile.RequestEveryMilliseconds * (1 - run.Profile.Jitter);
        var (sent, expected) = (run.Load.Sent, run.Profile.ExpectedRequests);
        if (sent < Sent * expected && run.Load.P95 < interval && !hasFaults)
            return $"The load generator fell behind: it sent {sent} of {expected:0} requests although answers came in time.";
        return null;
    }

    /// <returns>Why a stage without a judged check means nothing; null if one was judged.</returns>
    public static string? ReasonAgainst(IReadOnlyList<CheckRecord> checks) =>
        checks.Any(check => check.Holds is not null) ? null : "Nothing that the stage is judged by could be known.";
}
