using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Changes the route or the time of a flight. Before takeoff, the flight is planned again, with the same drone unless another can be there
/// sooner. A drone in flight changes course if it can return before its next flight. A replay changes nothing.
/// </summary>
internal static class RescheduleDrone
{
    /// <summary>
    /// <c>PATCH /api/dronedeliveries/{id}</c>: 200 with the new flight. 400 if it moves the pickup of a package on board. 409 if the flight
    /// is cancelled or has reached the dropoff. 422 if no drone can fly it, or the drone would miss its next flight.
    /// </summary>
    public static Task<Results<Ok<DroneAssignment>, NotFound, ValidationProblem, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        DroneReschedule reschedule,
        AssignmentStore assignments,
        CancellationToken cancellationToken
    ) =>
        assignments.ChangeAsync<Results<Ok<DroneAssignment>, NotFound, ValidationProblem, ProblemHttpResult>>(
            id,
            async change =>
            {
                if (await change.FindAsync(id) is not { Assignment: var old })
                    return TypedResults.NotFound();
                var wanted = WantedFlight.Create(old, reschedule);
                if (IsPickedUp(old, change.Now) && wanted.MovesPickupOf(old))
                    return TypedResults.ValidationProblem(PickedUp(reschedule));
                var (moved, rejection) = await MoveAsync(change, old, wanted);
                if (moved is null)
                    return rejection!;
                if (moved == old && wanted.Accepted == old.Accepted)
                    return TypedResults.Ok(old);
                var changed = moved with
                {
                    PickupTime = wanted.PickupTime,
                    Accepted = wanted.Accepted,
                    Revision = old.Revision + 1,
                };
                await change.ReplaceAsync(changed);
                return TypedResults.Ok(changed);
            },
            cancellationToken
        );

    private static bool IsPickedUp(DroneAssignment flight, DateTimeOffset now) =>
        !flight.Cancelled && now >= flight.FlightPlan.PickupAt && now < flight.FlightPlan.DropoffAt;

    /// <returns>The assignment, unchanged if it already matches; or the problem.</returns>
    private static async Task<(DroneAssignment?, ProblemHttpResult?)> MoveAsync(
        AssignmentChange change,
        DroneAssignment old,
        WantedFlight wanted
    )
    {
        if (old.Cancelled)
            return (null, FlightProblem.Cancelled(old.DeliveryId));
        if (wanted.IsPlannedBy(old))
            return (old, null);
        if (change.Now >= old.FlightPlan.DropoffAt)
            return (null, FlightProblem.Flown(old.DeliveryId));
        return change.Now < old.FlightPlan.TakeOff
            ? await ReplanAsync(change, old, wanted)
            : await TurnAsync(change, old, wanted);
    }

    private static async Task<(DroneAssignment?, ProblemHttpResult?)> ReplanAsync(
        AssignmentChange change,
        DroneAssignment old,
        WantedFlight wanted
    )
    {
        var choice = await change.TryAsync(async () =>
        {
            await change.FreeTimes.ReleaseAsync(old.DroneId, BusyTime.Of(old.FlightPlan));
            return await DroneChoice.TakeAsync(change, wanted.RequestOf(old), preferred: old.DroneId);
        });
        return choice is null
            ? (null, FlightProblem.NoSuitableDrone(old.DeliveryId))
            : (old with { DroneId = choice.Drone.Id, FlightPlan = choice.Plan }, null);
    }

    private static async Task<(DroneAssignment?, ProblemHttpResult?)> TurnAsync(
        AssignmentChange change,
        DroneAssignment old,
        WantedFlight wanted
    )
    {
        if (change.Fleet.FirstOrDefault(drone => drone.Id == old.DroneId) is not { } drone)
            return (null, FlightProblem.NoSuitableDrone(old.DeliveryId));
        var route = new FlightRoute(wanted.Pickup, wanted.Dropoff);
        var plan = FlightPlanning.Turn(
            old.FlightPlan,
            route,
            drone.SpeedOf(old.Expedited),
            wanted.PickupTime,
            change.Now
        );
        if (!drone.CanFly(old.PackageWeight, plan.DistanceKm))
            return (null, FlightProblem.NoSuitableDrone(old.DeliveryId));
        var moved = await change.TryAsync(async () =>
        {
            var free = await change.FreeTimes.ReleaseAsync(old.DroneId, BusyTime.Of(old.FlightPlan));
            if (BusyTime.Of(plan).To > free.Ends)
                return null;
            await change.FreeTimes.ReserveAsync(free, BusyTime.Of(plan));
            return old with { FlightPlan = plan };
        });
        return (moved, moved is null ? FlightProblem.NoTime(old.DeliveryId) : null);
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
