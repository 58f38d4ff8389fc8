using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.DroneScheduler;

internal enum AssignmentOutcome { Created, Unchanged, Changed, OtherRequest, NoSuitableDrone, PickedUp, Flown, NoTime, Cancelled, Unknown }

/// <summary>
/// Gives a delivery its drone, once: a replay, a racing replica and a replay after a cancellation all find what is stored. A drone flies
/// one delivery at a time: one that comes when all are taken is planned for when the first is back.
/// </summary>
internal sealed class AssignDrone(AssignmentStore assignments, FleetStore fleet)
{
    private static readonly Fingerprint Requests = new(evenAtDefault: nameof(DroneRequest.Expedited));

    public async Task<(AssignmentOutcome Outcome, DroneAssignment? Assignment)> AssignAsync(
        string deliveryId, DroneRequest request, CancellationToken cancellationToken)
    {
        var fingerprint = Requests.Of(request);
        var drones = await fleet.GetAsync(cancellationToken);
        return await assignments.ChangeAsync(async change =>
        {
            if (await change.FindAsync(deliveryId) is { } stored)
                return (stored.Request == fingerprint ? AssignmentOutcome.Unchanged : AssignmentOutcome.OtherRequest, stored.Assignment);
            if (await DroneChoice.FindAsync(drones, change.FreeTimes, request, change.Now) is not { } choice)
                return (AssignmentOutcome.NoSuitableDrone, default(DroneAssignment));

            var assignment = AssignmentOf(deliveryId, request, choice);
            await change.FreeTimes.ReserveAsync(choice.Free, BusyTime.Of(choice.Plan));
            await change.AddAsync(assignment, fingerprint);
            return (AssignmentOutcome.Created, assignment);
        }, cancellationToken);
    }

    private static DroneAssignment AssignmentOf(string deliveryId, DroneRequest request, Choice choice) => new()
    {
        DeliveryId = deliveryId,
        DroneId = choice.Drone.Id,
        OwnerId = request.OwnerId,
        PickupTime = request.PickupTime,
        Expedited = request.Expedited,
        PackageSize = request.PackageSize,
        PackageWeight = request.PackageWeight,
        FlightPlan = choice.Plan,
        Cancelled = false,
    };
}
