using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler;

/// <summary>What became of a request for a drone.</summary>
internal abstract record AssignResult
{
    public sealed record Created(DroneAssignment Assignment) : AssignResult;

    /// <summary>A replay; the delivery keeps what it has by now.</summary>
    public sealed record Replayed(DroneAssignment Assignment) : AssignResult;

    /// <summary>The delivery has a drone, for another request.</summary>
    public sealed record OtherRequest : AssignResult;

    /// <summary>The delivery request that needs the drone has failed, and comes late.</summary>
    public sealed record Failed : AssignResult;

    public sealed record NoSuitableDrone : AssignResult;
}
