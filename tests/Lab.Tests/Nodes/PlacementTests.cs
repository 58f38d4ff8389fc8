namespace DroneDelivery.Lab.Tests.Nodes;

public sealed class PlacementTests
{
    [Fact]
    public void Kubernetes_placement_spreads_replicas_and_keeps_running_ones()
    {
        var before = Placement.Of(PlacementRule.Kubernetes, 6, Stage(workflows: 3, backends: 6), seed: 7);
        var after = Placement.Of(PlacementRule.Kubernetes, 12, Stage(workflows: 6, backends: 9), before, seed: 7);

        foreach (var backend in Service.Backends)
            Assert.Equal([0, 1, 2, 3, 4, 5], NodesOf(before, backend).Order());
        Assert.Equal([4, 4, 4, 4, 4, 4], before.NodeOf.Values.CountBy(node => node).Select(node => node.Value));
        Assert.All(before.NodeOf, replica => Assert.Equal(replica.Value, after.NodeOf[replica.Key]));
        Assert.All(after.NodeOf.Where(replica => !before.NodeOf.ContainsKey(replica.Key)), replica =>
            Assert.InRange(replica.Value, 6, 11)
        );
    }

    private static Func<Service, int> Stage(int workflows, int backends) =>
        service =>
            service == Service.Ingestion ? 3
            : service == Service.Workflow ? workflows
            : backends;

    private static IEnumerable<int> NodesOf(Placement placement, Service service) =>
        placement.NodeOf.Where(replica => service.Owns(replica.Key)).Select(replica => replica.Value);
}
