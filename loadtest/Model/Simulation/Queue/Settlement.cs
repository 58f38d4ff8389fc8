namespace DroneDelivery.Model.Simulation.Queue;

internal enum Settlement : byte
{
    Complete,
    Abandon,
    DeadLetter,
}
