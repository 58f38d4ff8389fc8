using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Tests.Support;

internal static class FreePorts
{
    private static int _next = Environment.ProcessId % 200 * 100;

    /// <summary>An offset that moves all ports to free ones, below those that the system gives to clients.</summary>
    public static int Offset()
    {
        var replicas = KnobSet.Parse(Service.All.Select(service => $"{service.ReplicasKnob}=4"));
        for (var attempt = 0; attempt < 250; attempt++)
        {
            var offset = 1000 + Interlocked.Add(ref _next, 100) % 25_000;
            var plan = new ApplicationPlan("", new Ports(offset), replicas, DeclaredEnvironment.None, 1) { With = Service.Optional };
            if (plan.AllPorts.All(it => Ports.IsFree(it.Port)))
                return offset;
        }

        throw new InvalidOperationException("No free ports were found.");
    }
}
