using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Tests.Support;

internal static class FreePorts
{
    /// <summary>More than run at the same time.</summary>
    private const int Remembered = 16;

    private static readonly Lock Turn = new();
    private static readonly Queue<HashSet<int>> Given = new();
    private static int _next = Environment.ProcessId % 200 * 100;

    /// <summary>
    /// An offset that moves all ports to free ones, below those that the system gives to clients. None of them belongs to an application
    /// that another test is about to start: the ports of one are a hundred apart, so that those of two could meet.
    /// </summary>
    public static int Offset()
    {
        lock (Turn)
        {
            for (var attempt = 0; attempt < 2_500; attempt++)
            {
                var offset = 1000 + (_next += 10) % 25_000;
                var ports = AllPorts(offset);
                if (Given.Any(ports.Overlaps) || !ports.All(Ports.IsFree))
                    continue;
                Given.Enqueue(ports);
                if (Given.Count > Remembered)
                    Given.Dequeue();
                return offset;
            }
        }

        throw new InvalidOperationException("No free ports were found.");
    }

    private static HashSet<int> AllPorts(int offset)
    {
        var replicas = KnobSet.Parse(Service.All.Select(service => $"{service.ReplicasKnob}=4"));
        var plan = new ApplicationPlan("", new Ports(offset), replicas, DeclaredEnvironment.None, 1) { With = Service.Optional };
        return [plan.Ports.Collector, .. plan.AllPorts.Select(it => it.Port)];
    }
}
