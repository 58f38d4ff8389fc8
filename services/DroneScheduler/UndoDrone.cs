using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Takes back what a delivery request has made: its assignment goes, and the drone's time with it. If the request comes late, it makes
/// nothing any more. What another request with the same delivery id has made stays. An assignment that an older Workflow asked for does not
/// say for which request: it goes if the caller knows that no other one has succeeded (<c>unclaimed</c>).
/// </summary>
internal sealed class UndoDrone(AssignmentStore assignments, FleetStore fleet)
{
    /// <summary>
    /// <c>DELETE /api/dronedeliveries/{id}/requests/{request}</c>: 204, again for a replay, and if the request has made nothing.
    /// </summary>
    public static async Task<NoContent> HandleAsync(
        [Id] string id,
        [Id] string request,
        [Range(0, int.MaxValue)] int? attempt,
        bool? unclaimed,
        UndoDrone undo,
        CancellationToken cancellationToken)
    {
        await undo.RunAsync(id, new(request, attempt ?? 0), unclaimed ?? false, cancellationToken);
        return TypedResults.NoContent();
    }

    private async Task RunAsync(string deliveryId, AssignmentRequest request, bool unclaimed, CancellationToken cancellationToken)
    {
        var drones = await fleet.GetAsync(cancellationToken);
        await assignments.ChangeAsync(async change =>
        {
            await change.FailAsync(request);
            if (await change.FindAsync(deliveryId) is not { Assignment: var made } stored
                || !(stored.IsMadeBy(request) || unclaimed && stored.MadeFor is null))
            {
                return false;
            }
            if (!made.Cancelled)
                await ReleaseDrone.ReleaseAsync(change, made, drones.FirstOrDefault(drone => drone.Id == made.DroneId));
            await change.DeleteAsync(deliveryId);
            return true;
        }, cancellationToken);
    }
}
