namespace DroneDelivery.Simulation.Queue;

internal enum Settlement : byte
{
    Complete,
    Abandon,
    DeadLetter,
}
