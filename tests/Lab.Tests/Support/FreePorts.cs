namespace DroneDelivery.Lab.Tests.Support;

internal static class FreePorts
{
    // More than all tests of a run need: a shared application may use its ports much later.
    private const int Remembered = 60;

    // All ports, of which the gateway's are the highest, stay below 32768, where the ports that the system assigns to
    // clients start.
    private const int Least = 1_000,
        Offsets = 12_800;

    private static readonly Lock Turn = new();
    private static readonly Queue<HashSet<int>> Given = new();
    private static int _next = Environment.ProcessId % 200 * 100;

    /// <summary>
    /// Returns an offset that moves all ports to available ones below those that the system assigns to clients. None of
    /// them belongs to an application that another test is about to start: its ports are a hundred apart, so those of
    /// two could collide.
    /// </summary>
    public static int Offset()
    {
        lock (Turn)
        {
            for (var attempt = 0; attempt < Offsets / 10; attempt++)
            {
                var offset = Least + (_next += 10) % Offsets;
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
        var plan = new ApplicationPlan("", new Ports(offset), replicas, DeclaredEnvironment.None, 1)
        {
            With = Service.Optional,
        };
        var ports = plan.Ports;
        return [ports.Collector, .. plan.AllPorts.Select(it => it.Port)];
    }
}
