namespace DroneDelivery.Model.Planning;

public enum LimitKind
{
    /// <summary>The offered load: the application could handle more.</summary>
    Load,

    Calls,

    /// <summary>The prefetch count is smaller than the number of handlers.</summary>
    Prefetch,

    /// <summary>A node has no CPU time left for deliveries.</summary>
    Cpu,

    /// <summary>A node has no CPU time left for requests.</summary>
    Intake,

    /// <summary>Locks expire in the receivers' buffers.</summary>
    Lock,

    Cache,
}

/// <summary>A limit on the rate of completed deliveries, per second.</summary>
public sealed record Limit(string What, double Rate)
{
    public LimitKind Kind { get; init; }

    /// <summary>The node, from 0, of a CPU limit.</summary>
    public int? Node { get; init; }

    /// <summary>The service whose handlers are busy, or that uses most of the node's CPU time; otherwise, <c>null</c>.</summary>
    public string? Service { get; init; }

    /// <summary>For a CPU limit, the milliseconds per delivery of Ingestion, Workflow and each back end.</summary>
    public IReadOnlyList<double> Work { get; init; } = [];
}
