using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Flights;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Cancels an assignment. A drone that has not taken off is free at once; one in the air turns to the nearest depot and is free there. The
/// row stays, so that a late replay of the request does not assign again.
/// </summary>
internal static class ReleaseDrone
{
    /// <summary><c>DELETE /api/dronedeliveries/{id}</c>: 204, again for a replay.</summary>
    public static Task<Results<NoContent, NotFound>> HandleAsync(
        [Id] string id,
        AssignmentStore assignments,
        CancellationToken cancellationToken
    ) =>
        assignments.ChangeAsync<Results<NoContent, NotFound>>(
            id,
            async change =>
            {
                if (await change.FindAsync(id) is not { Assignment: var old })
                    return TypedResults.NotFound();
                if (!old.Cancelled)
                {
                    await ReleaseAsync(change, old);
                    await change.ReplaceAsync(old with { Cancelled = true, Revision = old.Revision + 1 });
                }
                return TypedResults.NoContent();
            },
            cancellationToken
        );

    /// <summary>Gives back what is left of the time that the flight takes.</summary>
    public static async Task ReleaseAsync(AssignmentChange change, DroneAssignment old)
    {
        // Of a drone that has left the fleet nobody needs to know when it is free.
        if (change.Fleet.FirstOrDefault(drone => drone.Id == old.DroneId) is not { } drone)
            return;
        var busy = BusyTime.Of(old.FlightPlan);
        var back = FlightPlanning.BackAt(old.FlightPlan, drone.SpeedOf(old.Expedited), change.Now);
        var from = change.Now < old.FlightPlan.TakeOff ? busy.From : BusyTime.EndOf(back);
        if (from < busy.To)
            await change.FreeTimes.ReleaseAsync(old.DroneId, busy with { From = from });
    }
}
