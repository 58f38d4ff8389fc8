using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Cancels an assignment. A drone that has not taken off is free at once; one in the air turns to the nearest depot and is free there. The
/// row stays, so that a late replay of the request does not assign again.
/// </summary>
internal sealed class ReleaseDrone(AssignmentStore assignments, FleetStore fleet)
{
    /// <summary><c>DELETE /api/dronedeliveries/{id}</c>: 204, again for a replay.</summary>
    public static async Task<Results<NoContent, NotFound>> HandleAsync(
        [Id] string id, ReleaseDrone drones, CancellationToken cancellationToken) =>
        await drones.TryCancelAsync(id, cancellationToken) ? TypedResults.NoContent() : TypedResults.NotFound();

    /// <returns>False: there is no such assignment.</returns>
    private async Task<bool> TryCancelAsync(string deliveryId, CancellationToken cancellationToken)
    {
        var drones = await fleet.GetAsync(cancellationToken);
        return await assignments.ChangeAsync(async change =>
        {
            if (await change.FindAsync(deliveryId) is not { Assignment: var old })
                return false;
            if (old.Cancelled)
                return true;
            await ReleaseAsync(change, old, drones.FirstOrDefault(drone => drone.Id == old.DroneId));
            await change.ReplaceAsync(old with { Cancelled = true, Revision = old.Revision + 1 });
            return true;
        }, cancellationToken);
    }

    /// <summary>Gives back what is left of the time that the flight takes.</summary>
    public static async Task ReleaseAsync(AssignmentChange change, DroneAssignment old, Drone? drone)
    {
        // Of a drone that has left the fleet nobody needs to know when it is free.
        if (drone is null)
            return;
        var busy = BusyTime.Of(old.FlightPlan);
        var back = FlightPlanning.BackAt(old.FlightPlan, drone.SpeedOf(old.Expedited), change.Now);
        var from = change.Now < old.FlightPlan.TakeOff ? busy.From : BusyTime.EndOf(back);
        if (from < busy.To)
            await change.FreeTimes.ReleaseAsync(old.DroneId, busy with { From = from });
    }
}
