namespace DroneDelivery.Lab.Stages;

/// <param name="Name">The lower-case name.</param>
internal sealed record Service(string Name, string Project, int BasePort)
{
    public static Service Ingestion { get; } = new("ingestion", "Ingestion", 5100);

    public static Service Package { get; } = new("package", "Package", 5200);

    public static Service DroneScheduler { get; } = new("dronescheduler", "DroneScheduler", 5300);

    public static Service Delivery { get; } = new("delivery", "Delivery", 5400);

    public static Service Workflow { get; } = new("workflow", "Workflow", 5500);

    public static Service Gateway { get; } = new("gateway", "Gateway", 5600);

    /// <summary>The five services, in the order in which they are listed, placed and started.</summary>
    public static IReadOnlyList<Service> All { get; } = [Ingestion, Workflow, Package, DroneScheduler, Delivery];

    /// <summary>Services to run on request, without node and settings.</summary>
    public static IReadOnlyList<Service> Optional { get; } = [Gateway];

    public static IReadOnlyList<Service> Backends { get; } = [Package, DroneScheduler, Delivery];

    /// <summary>The services that it calls: all back ends for Workflow, Delivery for Ingestion.</summary>
    public IReadOnlyList<Service> Calls =>
        this == Workflow ? Backends
        : this == Ingestion ? [Delivery]
        : [];

    public string ReplicasKnob => $"{Name}.replicas";

    public int Replicas(KnobSet knobs) => (int)knobs.Number(ReplicasKnob);

    /// <summary>Returns the process name of a replica, for example <c>workflow-0</c>.</summary>
    public string NameOf(int replica) => $"{Name}-{replica}";

    public bool Owns(string replica) => replica.StartsWith(Name + "-", StringComparison.Ordinal);
}
