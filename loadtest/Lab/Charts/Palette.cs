namespace DroneDelivery.Lab.Charts;

/// <summary>Names of the colours of charts.css, each of which differs from all others.</summary>
internal static class Palette
{
    /// <summary>For lines of equal rank, in this order. A chart with more lines than colours would show two alike.</summary>
    public static IReadOnlyList<string> Series { get; } = ["incoming", "outgoing", "errors", "users", "backlog", "memory", "quiet", "requests"];

    /// <summary>For lines of which each is a kind of failure.</summary>
    public static IReadOnlyList<string> Failures { get; } = ["errors", "backlog", "outgoing", "memory", "users", "quiet", "requests", "incoming"];
}
