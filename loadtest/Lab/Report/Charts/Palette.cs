namespace DroneDelivery.Lab.Report;

/// <summary>Names of the colours of charts.css, each of which differs from all others.</summary>
internal static class Palette
{
    /// <summary>For lines of equal rank, in this order.</summary>
    public static IReadOnlyList<string> Series { get; } =
        ["incoming", "outgoing", "errors", "users", "backlog", "memory", "quiet", "requests"];

    /// <summary>Gives each line its own colour. Lines for which none is left are left out: two alike could not be told apart.</summary>
    public static IReadOnlyList<Line> Paint(IEnumerable<Line> lines) =>
        [.. lines.Zip(Series, (line, colour) => line with { Colour = colour })];

    /// <summary>For lines of which each is a kind of failure.</summary>
    public static IReadOnlyList<string> Failures { get; } =
        ["errors", "backlog", "outgoing", "memory", "users", "quiet", "requests", "incoming"];
}
