using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>What came of one check.</summary>
/// <param name="Predicted">What the model says; null where it says nothing.</param>
/// <param name="Value">The figure of this run; null: it could not be known, or is relative to a stage that was not played.</param>
internal sealed record Verdict(Check Check, double? Predicted, double? Value, Band Band)
{
    public bool? Holds => Value is { } value ? Band.Contains(value) : null;

    public static IReadOnlyList<Verdict> Of(
        Stage stage,
        double k,
        IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures
    ) =>
        [
            .. stage.Checks.Select(check => new Verdict(
                check,
                Relate(check, stage.Prediction(check.Figure, k), other =>
                    Stage.Load(other).Prediction(check.Figure, k)
                ),
                Relate(check, FigureOf(figures, stage.Id, check), other => FigureOf(figures, other, check)),
                k == 1 && check.BandFull is { } full ? full : check.Band
            )),
        ];

    private static double? FigureOf(
        IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures,
        string stage,
        Check check
    ) =>
        figures.TryGetValue(stage, out var all) && all.TryGetValue(FigureTable.Find(check.Figure).Name, out var value)
            ? value
            : null;

    private static double? Relate(Check check, double? own, Func<string, double?> ofOther) =>
        check.RelativeTo is { } other ? own / ofOther(other) : own;
}

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

    /// <returns>Likewise: there has to be something that the stage is judged by.</returns>
    public static string? ReasonAgainst(IReadOnlyList<Verdict> verdicts) =>
        verdicts.Any(verdict => verdict.Holds is not null)
            ? null
            : "Nothing that the stage is judged by could be known.";
}
