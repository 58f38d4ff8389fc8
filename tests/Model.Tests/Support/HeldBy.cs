using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Tests.Support;

/// <summary>The messages that a receiver holds at a moment.</summary>
internal sealed class HeldBy(int receiver, long until) : ISimulationLog
{
    public HashSet<int> Messages { get; } = [];

    public void Arrived(long at, int message)
    {
    }

    public void HandedOut(long at, int to, int message)
    {
        if (to == receiver && at <= until)
            Messages.Add(message);
    }

    public void Began(long at, int handler, int message)
    {
    }

    public void Settled(long at, int message, Settlement settlement, bool accepted)
    {
        if (accepted && at <= until)
            Messages.Remove(message);
    }

    public void LockEnded(long at, int message)
    {
    }
}
