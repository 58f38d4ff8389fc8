using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler;

/// <summary>The flight after all changes, applied in the order in which they were accepted.</summary>
internal sealed record WantedFlight(
    Location Pickup,
    Location Dropoff,
    DateTimeOffset PickupTime,
    AcceptedChanges? Accepted
)
{
    public static WantedFlight Create(DroneAssignment old, DroneReschedule reschedule)
    {
        var (at, accepted) = (reschedule.AcceptedAt, old.Accepted ?? new AcceptedChanges());
        // Changes without an acceptance time always apply.
        var pickup = at < accepted.Pickup ? null : reschedule.Pickup;
        var dropoff = at < accepted.Dropoff ? null : reschedule.Dropoff;
        var pickupTime = at < accepted.PickupTime ? null : reschedule.PickupTime;
        var newest = new AcceptedChanges
        {
            Pickup = pickup is null ? accepted.Pickup : at ?? accepted.Pickup,
            Dropoff = dropoff is null ? accepted.Dropoff : at ?? accepted.Dropoff,
            PickupTime = pickupTime is null ? accepted.PickupTime : at ?? accepted.PickupTime,
        };
        return new WantedFlight(
            pickup ?? old.FlightPlan.Pickup,
            dropoff ?? old.FlightPlan.Dropoff,
            pickupTime ?? old.PickupTime,
            newest == accepted ? old.Accepted : newest
        );
    }

    public bool IsPlannedBy(DroneAssignment assignment) =>
        !MovesPickupOf(assignment) && Dropoff == assignment.FlightPlan.Dropoff;

    public bool MovesPickupOf(DroneAssignment assignment) =>
        (Pickup, PickupTime) != (assignment.FlightPlan.Pickup, assignment.PickupTime);

    public DroneRequest RequestOf(DroneAssignment old) =>
        new()
        {
            OwnerId = old.OwnerId,
            Pickup = Pickup,
            Dropoff = Dropoff,
            PickupTime = PickupTime,
            Expedited = old.Expedited,
            PackageSize = old.PackageSize,
            PackageWeight = old.PackageWeight,
        };
}
