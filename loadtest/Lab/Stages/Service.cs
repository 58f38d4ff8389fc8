namespace DroneDelivery.Lab.Stages;

/// <summary>One of the services, as the lab runs it.</summary>
/// <param name="Name">In knobs, environments, URLs and process names: lower case.</param>
internal sealed record Service(string Name, string Project, int BasePort)
{
    public static Service Ingestion { get; } = new("ingestion", "Ingestion", 5100);

    public static Service Package { get; } = new("package", "Package", 5200);

    public static Service DroneScheduler { get; } = new("dronescheduler", "DroneScheduler", 5300);

    public static Service Delivery { get; } = new("delivery", "Delivery", 5400);

    public static Service Workflow { get; } = new("workflow", "Workflow", 5500);

    /// <summary>Stands in front of Ingestion.</summary>
    public static Service Gateway { get; } = new("gateway", "Gateway", 5600);

    /// <summary>The five of the application, in the order in which they are listed, placed and started.</summary>
    public static IReadOnlyList<Service> All { get; } = [Ingestion, Workflow, Package, DroneScheduler, Delivery];

    /// <summary>Run beside the five where they are asked for. No stage has them: they are on no node and have no knob.</summary>
    public static IReadOnlyList<Service> Optional { get; } = [Gateway];

    public static IReadOnlyList<Service> Backends { get; } = [Package, DroneScheduler, Delivery];

    /// <summary>The services that it calls: Workflow all back ends, Ingestion the one that knows how far a delivery is.</summary>
    public IReadOnlyList<Service> Calls =>
        this == Workflow ? Backends
        : this == Ingestion ? [Delivery]
        : [];

    public string ReplicasKnob => $"{Name}.replicas";

    public int Replicas(KnobSet knobs) => (int)knobs.Number(ReplicasKnob);

    /// <summary>Name of a replica's process: <c>workflow-0</c>.</summary>
    public string NameOf(int replica) => $"{Name}-{replica}";

    public bool Owns(string replica) => replica.StartsWith(Name + "-", StringComparison.Ordinal);
}
