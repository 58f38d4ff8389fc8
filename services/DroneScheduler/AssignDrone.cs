using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.DroneScheduler;

internal enum AssignmentOutcome { Created, Unchanged, Changed, OtherRequest, NoSuitableDrone, Cancelled, Unknown }

/// <summary>
/// Gives a delivery its drone, once: a replay, a racing replica and a replay after a cancellation all find what is stored.
/// </summary>
internal sealed class AssignDrone(AssignmentStore assignments, FleetStore fleet, TimeProvider time)
{
    public async Task<(AssignmentOutcome Outcome, DroneAssignment? Assignment)> AssignAsync(
        string deliveryId, DroneRequest request, CancellationToken cancellationToken)
    {
        var fingerprint = Fingerprint.Of(request);
        var planned = await PlanAsync(deliveryId, request, preferred: null, cancellationToken);
        if (planned is not null && await assignments.TryAddAsync(planned, fingerprint, cancellationToken))
            return (AssignmentOutcome.Created, planned);

        return await assignments.FindAsync(deliveryId, cancellationToken) switch
        {
            null => (AssignmentOutcome.NoSuitableDrone, null),
            { } stored when stored.Request == fingerprint => (AssignmentOutcome.Unchanged, stored.Assignment),
            { } stored => (AssignmentOutcome.OtherRequest, stored.Assignment),
        };
    }

    /// <summary>
    /// A new route or time; the drone stays the same if it can fly the new route. The route and time that are planned already leave the
    /// plan as it is: a replay must not send a drone that flies back to its depot.
    /// </summary>
    public Task<(AssignmentOutcome Outcome, DroneAssignment? Assignment)> RescheduleAsync(
        string deliveryId, DroneReschedule reschedule, CancellationToken cancellationToken) =>
        ChangeAsync(deliveryId, async old =>
        {
            if (old.Cancelled)
                return (AssignmentOutcome.Cancelled, old);
            var request = new DroneRequest
            {
                OwnerId = old.OwnerId,
                Pickup = reschedule.Pickup ?? old.FlightPlan.Pickup,
                Dropoff = reschedule.Dropoff ?? old.FlightPlan.Dropoff,
                PickupTime = reschedule.PickupTime ?? old.PickupTime,
                Expedited = old.Expedited,
                PackageSize = old.PackageSize,
                PackageWeight = old.PackageWeight,
            };
            if (IsPlannedBy(old, request))
                return (AssignmentOutcome.Unchanged, old);
            var planned = await PlanAsync(deliveryId, request, old.DroneId, cancellationToken);
            return planned is null ? (AssignmentOutcome.NoSuitableDrone, null) : (AssignmentOutcome.Changed, planned);
        }, cancellationToken);

    /// <summary>Frees the drone. The row stays, so that a late replay of the request does not assign again.</summary>
    public Task<(AssignmentOutcome Outcome, DroneAssignment? Assignment)> CancelAsync(string deliveryId, CancellationToken cancellationToken) =>
        ChangeAsync(deliveryId, old => Task.FromResult<(AssignmentOutcome, DroneAssignment?)>(
            old.Cancelled ? (AssignmentOutcome.Unchanged, old) : (AssignmentOutcome.Changed, old with { Cancelled = true })), cancellationToken);

    private async Task<(AssignmentOutcome Outcome, DroneAssignment? Assignment)> ChangeAsync(
        string deliveryId, Func<DroneAssignment, Task<(AssignmentOutcome, DroneAssignment?)>> change, CancellationToken cancellationToken)
    {
        // Whoever loses the race against another change starts again from what that one stored.
        while (await assignments.FindAsync(deliveryId, cancellationToken) is { } stored)
        {
            var (outcome, result) = await change(stored.Assignment);
            if (outcome != AssignmentOutcome.Changed)
                return (outcome, result);
            var changed = result! with { Revision = stored.Assignment.Revision + 1 };
            if (await assignments.TryReplaceAsync(stored, changed, cancellationToken))
                return (outcome, changed);
        }
        return (AssignmentOutcome.Unknown, null);
    }

    private static bool IsPlannedBy(DroneAssignment assignment, DroneRequest request) =>
        (assignment.FlightPlan.Pickup, assignment.FlightPlan.Dropoff, assignment.PickupTime) == (request.Pickup, request.Dropoff, request.PickupTime);

    private async Task<DroneAssignment?> PlanAsync(string deliveryId, DroneRequest request, string? preferred, CancellationToken cancellationToken)
    {
        var route = new FlightRoute(request.Pickup, request.Dropoff);
        var drones = await fleet.GetAsync(cancellationToken);
        var drone = drones.FirstOrDefault(drone => drone.Id == preferred && DroneChoice.CanFly(drone, request.PackageWeight, route.TotalKm))
            ?? DroneChoice.For(deliveryId, request.PackageWeight, route.TotalKm, drones);
        return drone is null ? null : new DroneAssignment
        {
            DeliveryId = deliveryId,
            DroneId = drone.Id,
            OwnerId = request.OwnerId,
            PickupTime = request.PickupTime,
            Expedited = request.Expedited,
            PackageSize = request.PackageSize,
            PackageWeight = request.PackageWeight,
            FlightPlan = FlightPlanning.Plan(route, request.Expedited ? drone.TopSpeedKmh : drone.SpeedKmh, request.PickupTime, time.GetUtcNow()),
            Cancelled = false,
        };
    }
}
