namespace DroneDelivery.Lab.Predict;

/// <summary>An integer setting that a search can change.</summary>
/// <param name="Name">The name for <c>--set</c>.</param>
internal sealed record TunedNumber(string Name, TunedKind Kind, int Least, int Most);

internal enum TunedKind
{
    Nodes,
    Replicas,

    /// <summary>The capacity of Redis, in deliveries.</summary>
    Memory,

    Calls,
}
