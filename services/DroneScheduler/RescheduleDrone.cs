using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// A new route or time. Before the take-off the flight is planned anew, with the same drone if no other can be there sooner. A drone in the
/// air keeps its delivery and turns where it is, if it is back before its next flight; once it has the package, only the drop-off may
/// change. The route and time that are planned already leave the plan as it is, so a replay turns nothing.
/// </summary>
internal sealed class RescheduleDrone(AssignmentStore assignments, FleetStore fleet)
{
    public async Task<(AssignmentOutcome Outcome, DroneAssignment? Assignment)> RescheduleAsync(
        string deliveryId, DroneReschedule reschedule, CancellationToken cancellationToken)
    {
        var drones = await fleet.GetAsync(cancellationToken);
        return await assignments.ChangeAsync(async change =>
        {
            if (await change.FindAsync(deliveryId) is not { Assignment: var old })
                return (AssignmentOutcome.Unknown, default(DroneAssignment));
            var wanted = WantedFlight.Of(old, reschedule);
            var (outcome, moved) = await MoveAsync(change, drones, old, wanted);
            if (outcome != AssignmentOutcome.Changed)
                return (outcome, old);
            var changed = moved with { PickupTime = wanted.PickupTime, Accepted = wanted.Accepted, Revision = old.Revision + 1 };
            await change.ReplaceAsync(changed);
            return (outcome, changed);
        }, cancellationToken);
    }

    private static Task<(AssignmentOutcome Outcome, DroneAssignment Moved)> MoveAsync(
        AssignmentChange change, IReadOnlyList<Drone> drones, DroneAssignment old, WantedFlight wanted)
    {
        if (old.Cancelled)
            return Result(AssignmentOutcome.Cancelled, old);
        if (wanted.IsPlannedBy(old))
            return Result(wanted.Accepted == old.Accepted ? AssignmentOutcome.Unchanged : AssignmentOutcome.Changed, old);
        if (change.Now >= old.FlightPlan.DropoffAt)
            return Result(AssignmentOutcome.Flown, old);
        if (change.Now < old.FlightPlan.TakeOff)
            return PlanAnewAsync(change, drones, old, wanted);
        return change.Now >= old.FlightPlan.PickupAt && wanted.MovesPickupOf(old)
            ? Result(AssignmentOutcome.PickedUp, old)
            : TurnAsync(change, drones, old, wanted);
    }

    private static async Task<(AssignmentOutcome Outcome, DroneAssignment Moved)> PlanAnewAsync(
        AssignmentChange change, IReadOnlyList<Drone> drones, DroneAssignment old, WantedFlight wanted)
    {
        Choice? choice = null;
        var found = await change.TryAsync(async () =>
        {
            await change.FreeTimes.ReleaseAsync(old.DroneId, BusyTime.Of(old.FlightPlan));
            choice = await DroneChoice.FindAsync(drones, change.FreeTimes, wanted.RequestOf(old), change.Now, preferred: old.DroneId);
            if (choice is not null)
                await change.FreeTimes.ReserveAsync(choice.Free, BusyTime.Of(choice.Plan));
            return choice is not null;
        });
        return found
            ? (AssignmentOutcome.Changed, old with { DroneId = choice!.Drone.Id, FlightPlan = choice.Plan })
            : (AssignmentOutcome.NoSuitableDrone, old);
    }

    private static async Task<(AssignmentOutcome Outcome, DroneAssignment Moved)> TurnAsync(
        AssignmentChange change, IReadOnlyList<Drone> drones, DroneAssignment old, WantedFlight wanted)
    {
        if (drones.FirstOrDefault(drone => drone.Id == old.DroneId) is not { } drone)
            return (AssignmentOutcome.NoSuitableDrone, old);
        var route = new FlightRoute(wanted.Pickup, wanted.Dropoff);
        var plan = FlightPlanning.Turn(old.FlightPlan, route, drone.SpeedOf(old.Expedited), wanted.PickupTime, change.Now);
        if (!drone.CanFly(old.PackageWeight, plan.DistanceKm))
            return (AssignmentOutcome.NoSuitableDrone, old);
        var time = BusyTime.Of(plan);
        var inTime = await change.TryAsync(async () =>
        {
            var free = await change.FreeTimes.ReleaseAsync(old.DroneId, BusyTime.Of(old.FlightPlan));
            if (time.To > free.Ends)
                return false;
            await change.FreeTimes.ReserveAsync(free, time);
            return true;
        });
        return inTime ? (AssignmentOutcome.Changed, old with { FlightPlan = plan }) : (AssignmentOutcome.NoTime, old);
    }

    private static Task<(AssignmentOutcome Outcome, DroneAssignment Moved)> Result(AssignmentOutcome outcome, DroneAssignment assignment) =>
        Task.FromResult((outcome, assignment));
}
