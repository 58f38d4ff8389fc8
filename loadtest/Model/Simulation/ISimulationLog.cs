using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation;

/// <summary>Observes the messages of a simulation.</summary>
internal interface ISimulationLog
{
    void Arrived(long at, int message);

    void HandedOut(long at, int receiver, int message);

    void Began(long at, int handler, int message);

    void Settled(long at, int message, Settlement settlement, bool accepted);

    void LockEnded(long at, int message);
}
