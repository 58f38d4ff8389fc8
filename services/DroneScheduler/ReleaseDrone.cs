using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Flights;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Cancels an assignment. A drone in flight returns to the nearest depot. The row remains, so that a late replay doesn't assign a drone
/// again.
/// </summary>
internal static class ReleaseDrone
{
    /// <summary><c>DELETE /api/dronedeliveries/{id}</c>: 204, also for a replay.</summary>
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

    /// <summary>Releases the rest of the time that the flight occupies.</summary>
    public static async Task ReleaseAsync(AssignmentChange change, DroneAssignment old)
    {
        // The drone is no longer in the fleet.
        if (change.Fleet.FirstOrDefault(drone => drone.Id == old.DroneId) is not { } drone)
            return;
        var busy = BusyTime.Of(old.FlightPlan);
        var back = FlightPlanning.BackAt(old.FlightPlan, drone.SpeedOf(old.Expedited), change.Now);
        var from = change.Now < old.FlightPlan.TakeOff ? busy.From : BusyTime.EndOf(back);
        if (from < busy.To)
            await change.FreeTimes.ReleaseAsync(old.DroneId, busy with { From = from });
    }
}
