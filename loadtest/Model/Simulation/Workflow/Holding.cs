namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>How often a Workflow that holds asks whether the back end is there again: less in a long outage.</summary>
internal static class Holding
{
    private const double ShareOfOutage = 0.1;

    private static readonly long Shortest = Time.FromSeconds(1), Longest = Time.FromSeconds(3);

    /// <param name="outage">How long it has lasted.</param>
    public static long Pause(long outage) => Math.Clamp((long)(ShareOfOutage * outage), Shortest, Longest);
}
