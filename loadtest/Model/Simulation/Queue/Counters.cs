namespace DroneDelivery.Model.Simulation.Queue;

/// <summary>What the broker counts, since the beginning.</summary>
internal sealed class Counters
{
    public long Incoming, Outgoing, Redelivered, Completed, Abandoned, DeadLettered;
    public long LateCompletes, LateDeadLetters, LateAbandons, LateRenewals, ExpiredLocks;
}
