namespace DroneDelivery.Model.Planning;

public enum LimitKind
{
    /// <summary>Nothing of the application: more is not sent.</summary>
    Load,

    /// <summary>All handlers are busy.</summary>
    Calls,

    /// <summary>The prefetch count is smaller than the number of handlers, and some have no message.</summary>
    Prefetch,

    /// <summary>A node has no CPU time left for deliveries.</summary>
    Cpu,

    /// <summary>A node has no CPU time left for requests.</summary>
    Intake,

    /// <summary>Locks end in the buffers of the receivers, and the work for these messages is wasted.</summary>
    Lock,

    /// <summary>The cache is full.</summary>
    Cache,
}

/// <summary>What limits the rate of completed deliveries.</summary>
/// <param name="Rate">Deliveries per second that it allows.</param>
public sealed record Limit(string What, double Rate)
{
    public LimitKind Kind { get; init; }

    /// <summary>Of a limit of CPU: which node, from 0.</summary>
    public int? Node { get; init; }

    /// <summary>Whose handlers they are, or which service takes the most of the node's time; null for other limits.</summary>
    public string? Service { get; init; }

    /// <summary>
    /// Milliseconds of its CPU that each delivery takes, of Ingestion, Workflow and the back ends in their order; empty where it is no
    /// limit of CPU.
    /// </summary>
    public IReadOnlyList<double> Work { get; init; } = [];
}
