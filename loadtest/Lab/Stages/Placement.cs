namespace DroneDelivery.Lab.Stages;

internal enum PlacementRule
{
    /// <summary>Round robin over the nodes, in the order of <see cref="Service.All"/>.</summary>
    RoundRobin,

    /// <summary>
    /// Follows the default Kubernetes scheduler for pods with equal requests: the fewest pods of the same service first (topology spread),
    /// then the fewest pods (least allocated), then random. Running pods stay.
    /// </summary>
    Kubernetes,
}

/// <param name="NodeOf">The node, from 0, by replica (<c>workflow-0</c>).</param>
internal sealed record Placement(int Nodes, IReadOnlyDictionary<string, int> NodeOf)
{
    /// <summary>Places the replicas by the settings <c>nodes.placement</c> and <c>*.replicas</c>.</summary>
    public static Placement Of(DeclaredNodes nodes, KnobSet knobs, Placement? before, int seed) =>
        Of(RuleOf(knobs), nodes.Count, service => (int)knobs.Number(service.ReplicasKnob, 1), before, seed);

    public static PlacementRule RuleOf(KnobSet knobs) =>
        Enum.Parse<PlacementRule>(knobs["nodes.placement"]?.Word ?? nameof(PlacementRule.RoundRobin));

    /// <param name="before">The current placement, which only <see cref="PlacementRule.Kubernetes"/> preserves.</param>
    public static Placement Of(
        PlacementRule rule,
        int nodes,
        Func<Service, int> replicas,
        Placement? before = null,
        int seed = 0
    ) => Of(rule, nodes, Service.All.Select(service => (service.Name, replicas(service))), before, seed);

    /// <inheritdoc cref="Of(PlacementRule, int, Func{Service, int}, Placement?, int)"/>
    public static Placement Of(
        PlacementRule rule,
        int nodes,
        IEnumerable<(string Service, int Replicas)> services,
        Placement? before,
        int seed
    )
    {
        var names = services
            .SelectMany(service =>
                Enumerable
                    .Range(0, service.Replicas)
                    .Select(replica => (service.Service, Name: $"{service.Service}-{replica}"))
            )
            .ToList();
        return new(
            nodes,
            rule == PlacementRule.RoundRobin
                ? names
                    .Select((replica, i) => (replica.Name, Node: i % nodes))
                    .ToDictionary(placed => placed.Name, placed => placed.Node)
                : AsKubernetesWould(nodes, names, before, new Random(seed))
        );
    }

    private static Dictionary<string, int> AsKubernetesWould(
        int nodes,
        List<(string Service, string Name)> replicas,
        Placement? before,
        Random random
    )
    {
        var nodeOf = replicas
            .Where(replica => before?.NodeOf.TryGetValue(replica.Name, out var node) == true && node < nodes)
            .ToDictionary(replica => replica.Name, replica => before!.NodeOf[replica.Name]);
        foreach (var (service, name) in replicas.Where(replica => !nodeOf.ContainsKey(replica.Name)))
        {
            nodeOf[name] = Enumerable
                .Range(0, nodes)
                .OrderBy(node =>
                    replicas.Count(other =>
                        other.Service == service && nodeOf.GetValueOrDefault(other.Name, -1) == node
                    )
                )
                .ThenBy(node => nodeOf.Values.Count(other => other == node))
                .ThenBy(_ => random.Next())
                .First();
        }

        return nodeOf;
    }
}
