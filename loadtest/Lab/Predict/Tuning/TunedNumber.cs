namespace DroneDelivery.Lab.Predict;

/// <summary>A whole number that a search may change.</summary>
/// <param name="Name">As <c>--set</c> names it.</param>
internal sealed record TunedNumber(string Name, TunedKind Kind, int Least, int Most);

internal enum TunedKind
{
    Nodes,
    Replicas,

    /// <summary>Deliveries that fit into Redis.</summary>
    Memory,

    /// <summary>Messages that a receiver handles at a time.</summary>
    Calls,
}
