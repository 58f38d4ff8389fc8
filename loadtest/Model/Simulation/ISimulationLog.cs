using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation;

/// <summary>Who wants to know what happens to each message, and when.</summary>
internal interface ISimulationLog
{
    void Arrived(long at, int message);

    void HandedOut(long at, int receiver, int message);

    /// <summary>A handler begins with a message.</summary>
    void Began(long at, int handler, int message);

    /// <summary>A settlement reached the broker.</summary>
    void Settled(long at, int message, Settlement settlement, bool accepted);

    void LockEnded(long at, int message);
}
