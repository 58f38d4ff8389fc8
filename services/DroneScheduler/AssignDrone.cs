using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.ServiceDefaults.Idempotency;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Assigns a drone to a delivery, once: replays and concurrent requests find the stored assignment, even after a cancellation. If all
/// drones are booked, the first that returns is assigned.
/// </summary>
internal static class AssignDrone
{
    /// <summary>
    /// <c>PUT /api/dronedeliveries/{id}</c>: 201 with the assignment, 200 for a replay. 409 if the delivery was requested with different
    /// content, or the request <c>for</c> has failed. 422 if no drone can carry the package that far, now or later.
    /// </summary>
    public static Task<Results<Created<DroneAssignment>, Ok<DroneAssignment>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        [Id] string? @for,
        [Range(0, int.MaxValue)] int? attempt,
        DroneRequest request,
        AssignmentStore assignments,
        CancellationToken cancellationToken
    )
    {
        var madeFor = @for is null ? null : new AssignmentRequest(@for, attempt ?? 0);
        return assignments.ChangeAsync<Results<Created<DroneAssignment>, Ok<DroneAssignment>, ProblemHttpResult>>(
            id,
            async change =>
            {
                if (madeFor is not null && await change.HasFailedAsync(madeFor))
                    return FlightProblem.Failed(id);
                if (await change.FindAsync(id) is { } stored)
                {
                    return await TryReplayAsync(change, id, stored, request, madeFor)
                        ? TypedResults.Ok(stored.Assignment)
                        : FlightProblem.OtherRequest(id);
                }
                if (await DroneChoice.TakeAsync(change, request) is not { } choice)
                    return FlightProblem.NoSuitableDrone(id);

                var assignment = AssignmentOf(id, request, choice);
                await change.AddAsync(assignment, Fingerprint.Compute(request), madeFor);
                return TypedResults.Created($"{DronesApi.Prefix}/{id}", assignment);
            },
            cancellationToken
        );
    }

    /// <returns><c>false</c> if this is another request rather than a replay.</returns>
    private static async Task<bool> TryReplayAsync(
        AssignmentChange change,
        string deliveryId,
        StoredAssignment stored,
        DroneRequest request,
        AssignmentRequest? madeFor
    )
    {
        if (Fingerprint.Compute(request) != stored.Request || !stored.CanBelongTo(madeFor))
            return false;
        if (stored.MadeFor is not null && stored.Attempt < madeFor?.Attempt)
            await change.SetAttemptAsync(deliveryId, madeFor.Attempt);
        return true;
    }

    private static DroneAssignment AssignmentOf(string deliveryId, DroneRequest request, Choice choice) =>
        new()
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
