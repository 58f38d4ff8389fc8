using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>
/// By how much a figure of one run differs from that of an equal run by chance alone, as its own events say: of N events another run has N,
/// more or less the root of N.
/// </summary>
internal static class Chance
{
    /// <summary>Standard deviations within which 95 of 100 differences of equal runs are.</summary>
    public const double Deviations = 2;

    /// <summary>Seconds between two samples of the queue.</summary>
    private const double SampleSeconds = 0.25;

    /// <summary>What single messages vary by, as a share of their mean duration; a percentile of them varies twice as much.</summary>
    private const double Message = 0.5;

    /// <summary>Percentage points by which the real machine's CPU differs because other programs run: no events stand behind it.</summary>
    private const double Machine = 1.5;

    private const double PeakSeconds = 5;

    /// <returns>Standard deviation, in the figure's unit.</returns>
    public static double DeviationOf(Figure figure, StageRecord stage, double value)
    {
        var size = Math.Abs(value);
        return figure switch
        {
            { IsExact: true } => 0,
            { Unit: "/s" } => Math.Sqrt(EventsPerSecond(figure.Name, stage, size) / SecondsOf(figure.Name, stage)),
            { Unit: "s" } => SampleSeconds + size * Share(Count(stage, "backlog.loadEnd")),
            { Unit: "ms" } => size
                * Message
                * (figure.Name.EndsWith("P95", StringComparison.Ordinal) ? 2 : 1)
                * Share(Completed(stage)),
            { Unit: " %" } when figure.Name.StartsWith("node.", StringComparison.Ordinal) => size
                * Share(EventsOfNode(figure.Name, stage)),
            { Unit: " %" } => Machine,
            { IsRatio: true } => Ratio(size, stage),
            _ => Math.Sqrt(size),
        };
    }

    /// <summary>A ratio is as uncertain as what is above the line, and what is below it.</summary>
    private static double Ratio(double size, StageRecord stage)
    {
        var below = Math.Max(1, Count(stage, "accepted") is > 0 and var accepted ? accepted : Completed(stage));
        return size == 0 ? 0 : size * Math.Sqrt(1 / (size * below) + 1 / below);
    }

    /// <summary>A slope is what comes in less what goes out, and both vary.</summary>
    private static double EventsPerSecond(string figure, StageRecord stage, double rate) =>
        figure == "backlog.slope"
            ? Math.Max(rate, Figure(stage, "incoming.plateau") + Figure(stage, "completed.plateau"))
            : rate;

    private static double SecondsOf(string figure, StageRecord stage)
    {
        var (all, full) = (stage.Profile.DurationSeconds, Figure(stage, "http.5xx.first"));
        var seconds = figure[(figure.IndexOf('.', StringComparison.Ordinal) + 1)..] switch
        {
            "peak" => PeakSeconds,
            "plateau" or "slope" => all - stage.Profile.PlateauStart,
            "lastThird" => all / 3,
            "beforeFull" => all * full / 2,
            "afterFull" => all * (1 - full),
            "afterLoad" => stage.Series.Select(bin => bin.End).DefaultIfEmpty(0).Max() - all,
            _ => all,
        };
        return seconds > 0 ? seconds : all;
    }

    private static double EventsOfNode(string figure, StageRecord stage) =>
        figure switch
        {
            "node.highest" => Completed(stage) * stage.BinSeconds / stage.Profile.DurationSeconds,
            _ => Completed(stage),
        };

    private static double Completed(StageRecord stage) => Count(stage, "completed.underLoad");

    private static double Count(StageRecord stage, string figure) => Math.Max(0, Figure(stage, figure));

    private static double Figure(StageRecord stage, string figure) =>
        stage.Figures.GetValueOrDefault(figure)?.Value is { } value && double.IsFinite(value) ? value : 0;

    private static double Share(double events) => 1 / Math.Sqrt(Math.Max(1, events));
}
