using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler;

/// <summary>What became of a new route or time.</summary>
internal abstract record RescheduleResult
{
    public sealed record Changed(DroneAssignment Assignment) : RescheduleResult;

    /// <summary>A replay.</summary>
    public sealed record Unchanged(DroneAssignment Assignment) : RescheduleResult;

    /// <summary>The package is on board, so its pickup stays.</summary>
    public sealed record PickedUp : RescheduleResult;

    /// <summary>The drone has been at the drop-off.</summary>
    public sealed record Flown : RescheduleResult;

    /// <summary>The drone is in the air and would miss its next flight.</summary>
    public sealed record NoTime : RescheduleResult;

    public sealed record NoSuitableDrone : RescheduleResult;

    public sealed record Cancelled : RescheduleResult;

    /// <summary>There is no such assignment.</summary>
    public sealed record Unknown : RescheduleResult;
}
