using System.Diagnostics;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// A new route or time. Before the take-off the flight is planned anew, with the same drone if no other can be there sooner. A drone in the
/// air keeps its delivery and turns where it is, if it is back before its next flight; once it has the package, only the drop-off may
/// change. The route and time that are planned already leave the plan as it is, so a replay turns nothing.
/// </summary>
internal sealed class RescheduleDrone(AssignmentStore assignments, FleetStore fleet)
{
    /// <summary>
    /// <c>PATCH /api/dronedeliveries/{id}</c>: 200 with the new flight. 400 names what moves the pickup of a package that is on board. 409:
    /// cancelled, or its drone has been at the drop-off. 422: no drone can fly that, or the one in the air would miss its next flight.
    /// </summary>
    public static async Task<Results<Ok<DroneAssignment>, NotFound, ValidationProblem, ProblemHttpResult>> HandleAsync(
        [Id] string id, DroneReschedule reschedule, RescheduleDrone drones, CancellationToken cancellationToken) =>
        await drones.RescheduleAsync(id, reschedule, cancellationToken) switch
        {
            RescheduleResult.Changed(var assignment) => TypedResults.Ok(assignment),
            RescheduleResult.Unchanged(var assignment) => TypedResults.Ok(assignment),
            RescheduleResult.PickedUp => TypedResults.ValidationProblem(PickedUp(reschedule)),
            RescheduleResult.Flown => FlightProblem.Flown(id),
            RescheduleResult.NoTime => FlightProblem.NoTime(id),
            RescheduleResult.NoSuitableDrone => FlightProblem.NoSuitableDrone(id),
            RescheduleResult.Cancelled => FlightProblem.Cancelled(id),
            RescheduleResult.Unknown => TypedResults.NotFound(),
            var result => throw new UnreachableException($"No answer says {result}."),
        };

    private async Task<RescheduleResult> RescheduleAsync(
        string deliveryId, DroneReschedule reschedule, CancellationToken cancellationToken)
    {
        var drones = await fleet.GetAsync(cancellationToken);
        return await assignments.ChangeAsync<RescheduleResult>(async change =>
        {
            if (await change.FindAsync(deliveryId) is not { Assignment: var old })
                return new RescheduleResult.Unknown();
            var wanted = WantedFlight.Of(old, reschedule);
            var result = await MoveAsync(change, drones, old, wanted);
            if (result is not RescheduleResult.Changed(var moved))
                return result;
            var changed = moved with { PickupTime = wanted.PickupTime, Accepted = wanted.Accepted, Revision = old.Revision + 1 };
            await change.ReplaceAsync(changed);
            return new RescheduleResult.Changed(changed);
        }, cancellationToken);
    }

    private static async Task<RescheduleResult> MoveAsync(
        AssignmentChange change, IReadOnlyList<Drone> drones, DroneAssignment old, WantedFlight wanted)
    {
        if (old.Cancelled)
            return new RescheduleResult.Cancelled();
        if (wanted.IsPlannedBy(old))
            return wanted.Accepted == old.Accepted ? new RescheduleResult.Unchanged(old) : new RescheduleResult.Changed(old);
        if (change.Now >= old.FlightPlan.DropoffAt)
            return new RescheduleResult.Flown();
        if (change.Now < old.FlightPlan.TakeOff)
            return await PlanAnewAsync(change, drones, old, wanted);
        return change.Now >= old.FlightPlan.PickupAt && wanted.MovesPickupOf(old)
            ? new RescheduleResult.PickedUp()
            : await TurnAsync(change, drones, old, wanted);
    }

    private static async Task<RescheduleResult> PlanAnewAsync(
        AssignmentChange change, IReadOnlyList<Drone> drones, DroneAssignment old, WantedFlight wanted)
    {
        var choice = await change.TryAsync(async () =>
        {
            await change.FreeTimes.ReleaseAsync(old.DroneId, BusyTime.Of(old.FlightPlan));
            var first = await DroneChoice.FindAsync(drones, change.FreeTimes, wanted.RequestOf(old), change.Now, preferred: old.DroneId);
            if (first is not null)
                await change.FreeTimes.ReserveAsync(first.Free, BusyTime.Of(first.Plan));
            return first;
        });
        return choice is null
            ? new RescheduleResult.NoSuitableDrone()
            : new RescheduleResult.Changed(old with { DroneId = choice.Drone.Id, FlightPlan = choice.Plan });
    }

    private static async Task<RescheduleResult> TurnAsync(
        AssignmentChange change, IReadOnlyList<Drone> drones, DroneAssignment old, WantedFlight wanted)
    {
        if (drones.FirstOrDefault(drone => drone.Id == old.DroneId) is not { } drone)
            return new RescheduleResult.NoSuitableDrone();
        var route = new FlightRoute(wanted.Pickup, wanted.Dropoff);
        var plan = FlightPlanning.Turn(old.FlightPlan, route, drone.SpeedOf(old.Expedited), wanted.PickupTime, change.Now);
        if (!drone.CanFly(old.PackageWeight, plan.DistanceKm))
            return new RescheduleResult.NoSuitableDrone();
        var inTime = await change.TryAsync(async () =>
        {
            var free = await change.FreeTimes.ReleaseAsync(old.DroneId, BusyTime.Of(old.FlightPlan));
            if (BusyTime.Of(plan).To > free.Ends)
                return null;
            await change.FreeTimes.ReserveAsync(free, BusyTime.Of(plan));
            return plan;
        });
        return inTime is null ? new RescheduleResult.NoTime() : new RescheduleResult.Changed(old with { FlightPlan = inTime });
    }

    private static Dictionary<string, string[]> PickedUp(DroneReschedule reschedule)
    {
        string[] why = ["The package is on board: only the drop-off may change."];
        var errors = new Dictionary<string, string[]>();
        if (reschedule.Pickup is not null)
            errors["pickup"] = why;
        if (reschedule.PickupTime is not null)
            errors["pickupTime"] = why;
        return errors;
    }
}
