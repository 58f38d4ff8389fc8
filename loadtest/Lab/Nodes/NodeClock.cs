namespace DroneDelivery.Lab.Nodes;

/// <summary>Time since it was made: the time of the nodes. Never goes back.</summary>
internal sealed class NodeClock(TimeProvider clock)
{
    private readonly long _origin = clock.GetTimestamp();

    public DateTimeOffset Origin { get; } = clock.GetUtcNow();

    public TimeSpan Now => clock.GetElapsedTime(_origin);
}
