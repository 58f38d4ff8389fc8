using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Deliveries that go round placed nodes without a pause, event by event in virtual time.</summary>
internal static class SaturatedNodes
{
    public static double CompletedPerSecond(DeclaredNodes declared, Placement placement, int callsPerWorkflow, TimeSpan length)
    {
        var nodes = Enumerable.Range(0, placement.Nodes)
            .Select(i => new Node(
                new(placement.Nodes, declared.VCpu, declared.System.JobMilliseconds, declared.System.EveryMilliseconds),
                start: 0,
                TimeSpan.FromMilliseconds(declared.System.EveryMilliseconds * i / placement.Nodes).Ticks))
            .ToList();
        var counts = Service.All.ToDictionary(service => service, service => placement.NodeOf.Keys.Count(service.Owns));
        var calls = Service.All.ToDictionary(service => service, _ => 0);
        var events = new PriorityQueue<(int Workflow, int Step), TimeSpan>();
        for (var call = 0; call < callsPerWorkflow * counts[Service.Workflow]; call++)
            events.Enqueue((call % counts[Service.Workflow], 0), TimeSpan.Zero);
        var completed = 0;
        while (events.TryDequeue(out var delivery, out var now) && now <= length)
        {
            completed += delivery.Step == 4 ? 1 : 0;
            var step = delivery.Step % 4;
            var service = step == 0 ? Service.Workflow : Service.Backends[step - 1];
            var replica = step == 0 ? delivery.Workflow : calls[service]++ % counts[service];
            var node = nodes[placement.NodeOf[service.NameOf(replica)]];
            var cost = TimeSpan.FromMilliseconds(declared.CpuMilliseconds[service.Name]);
            events.Enqueue((delivery.Workflow, step + 1), TimeSpan.FromTicks(node.Hold(now.Ticks, cost.Ticks)));
        }

        return completed / length.TotalSeconds;
    }
}
