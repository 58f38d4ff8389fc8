using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>A setting that may meet the goal. Values are those of full length.</summary>
/// <param name="Backends">Replicas of each of the three back ends.</param>
/// <param name="Fits">Deliveries that fit into Redis; 0: it has no limit.</param>
/// <param name="Prefetch">Messages that one Workflow may hold; 0: no prefetch.</param>
internal sealed record Candidate(
    int Nodes,
    int Ingestion,
    int Workflow,
    int Backends,
    int Fits,
    int Calls,
    int Prefetch,
    double LockSeconds
) : IComparable<Candidate>
{
    public int Replicas => Ingestion + Workflow + 3 * Backends;

    /// <summary>Of what costs the same, that with less comes first: nodes, then replicas, then Redis, then calls.</summary>
    public int CompareTo(Candidate? other) => other is null ? 1 : Counts.CompareTo(other.Counts);

    private (int, int, int, int) Counts => (Nodes, Replicas, Fits == 0 ? int.MaxValue : Fits, Calls);

    public KnobSet Knobs =>
        KnobSet.Parse([
            $"nodes.count={Nodes}",
            $"ingestion.replicas={Ingestion}",
            $"workflow.replicas={Workflow}",
            $"package.replicas={Backends}",
            $"dronescheduler.replicas={Backends}",
            $"delivery.replicas={Backends}",
            $"workflow.maxConcurrentCalls={Calls}",
            $"workflow.prefetchCount={Prefetch}",
            $"queue.lockDuration={LockSeconds}",
            .. Fits > 0 ? [$"redis.deliveriesThatFit={Fits}"] : Array.Empty<string>(),
        ]);
}
