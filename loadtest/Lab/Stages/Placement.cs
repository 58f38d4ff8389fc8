namespace DroneDelivery.Lab.Stages;

internal enum PlacementRule
{
    /// <summary>One counter goes round the nodes, over all replicas of all services in the order of <see cref="Service.All"/>.</summary>
    RoundRobin,

    /// <summary>
    /// As the default scheduler of Kubernetes scores nodes when all pods request the same: the fewest pods of the same service first
    /// (topology spread), then the fewest pods at all (least allocated), and chance among equals. Pods that run stay where they are, so
    /// nodes that join later get only what is started later.
    /// </summary>
    Kubernetes,
}

/// <summary>Which node each replica runs on.</summary>
/// <param name="NodeOf">Replica (<c>workflow-0</c>) → node, from 0.</param>
internal sealed record Placement(int Nodes, IReadOnlyDictionary<string, int> NodeOf)
{
    /// <summary>By the knobs <c>nodes.placement</c> and <c>*.replicas</c>.</summary>
    public static Placement Of(DeclaredNodes nodes, KnobSet knobs, Placement? before, int seed) =>
        Of(RuleOf(knobs), nodes.Count, service => (int)knobs.Number(service.ReplicasKnob, 1), before, seed);

    public static PlacementRule RuleOf(KnobSet knobs) =>
        Enum.Parse<PlacementRule>(knobs["nodes.placement"]?.Word ?? nameof(PlacementRule.RoundRobin));

    /// <param name="before">Where the replicas that run are; only <see cref="PlacementRule.Kubernetes"/> leaves them there.</param>
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
            .SelectMany(it =>
                Enumerable.Range(0, it.Replicas).Select(replica => (it.Service, Name: $"{it.Service}-{replica}"))
            )
            .ToList();
        return new(
            nodes,
            rule == PlacementRule.RoundRobin
                ? names
                    .Select((replica, i) => (replica.Name, Node: i % nodes))
                    .ToDictionary(it => it.Name, it => it.Node)
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
            .Where(it => before?.NodeOf.TryGetValue(it.Name, out var node) == true && node < nodes)
            .ToDictionary(it => it.Name, it => before!.NodeOf[it.Name]);
        foreach (var (service, name) in replicas.Where(it => !nodeOf.ContainsKey(it.Name)))
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
