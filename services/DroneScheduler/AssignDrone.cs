using System.ComponentModel.DataAnnotations;
using System.Diagnostics;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.DroneScheduler.Flights;
using DroneDelivery.ServiceDefaults.Idempotency;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

/// <summary>
/// Gives a delivery its drone, once: a replay, a racing replica and a replay after a cancellation all find what is stored. A drone flies
/// one delivery at a time: if all drones are booked, the delivery is planned for the first that returns.
/// </summary>
internal sealed class AssignDrone(AssignmentStore assignments, FleetStore fleet)
{
    private static readonly Fingerprint Requests = new(evenAtDefault: nameof(DroneRequest.Expedited));

    /// <summary>
    /// <c>PUT /api/dronedeliveries/{id}</c>: 201 with the drone, 200 with the same drone for a replay. 409: the delivery was asked for with
    /// other content (PATCH changes it), or by the request <c>for</c>, which has failed. 422: no drone can carry it that far, now or later.
    /// </summary>
    public static async Task<Results<Created<DroneAssignment>, Ok<DroneAssignment>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        [Id] string? @for,
        [Range(0, int.MaxValue)] int? attempt,
        DroneRequest request,
        AssignDrone drones,
        CancellationToken cancellationToken) =>
        await drones.AssignAsync(id, request, @for is null ? null : new(@for, attempt ?? 0), cancellationToken) switch
        {
            AssignResult.Created(var assignment) => TypedResults.Created($"{DronesApi.Prefix}/{id}", assignment),
            AssignResult.Replayed(var assignment) => TypedResults.Ok(assignment),
            AssignResult.OtherRequest => FlightProblem.OtherRequest(id),
            AssignResult.Failed => FlightProblem.Failed(id),
            AssignResult.NoSuitableDrone => FlightProblem.NoSuitableDrone(id),
            var result => throw new UnreachableException($"No answer says {result}."),
        };

    private async Task<AssignResult> AssignAsync(
        string deliveryId, DroneRequest request, AssignmentRequest? madeFor, CancellationToken cancellationToken)
    {
        var drones = await fleet.GetAsync(cancellationToken);
        return await assignments.ChangeAsync<AssignResult>(async change =>
        {
            if (madeFor is not null && await change.HasFailedAsync(madeFor))
                return new AssignResult.Failed();
            if (await change.FindAsync(deliveryId) is { } stored)
                return await ReplayAsync(change, deliveryId, stored, request, madeFor);
            if (await DroneChoice.FindAsync(drones, change.FreeTimes, request, change.Now) is not { } choice)
                return new AssignResult.NoSuitableDrone();

            var assignment = AssignmentOf(deliveryId, request, choice);
            await change.FreeTimes.ReserveAsync(choice.Free, BusyTime.Of(choice.Plan));
            await change.AddAsync(assignment, Requests.Of(request), madeFor);
            return new AssignResult.Created(assignment);
        }, cancellationToken);
    }

    private static async Task<AssignResult> ReplayAsync(
        AssignmentChange change, string deliveryId, StoredAssignment stored, DroneRequest request, AssignmentRequest? madeFor)
    {
        if (!Requests.IsOf(stored.Request, request) || !stored.MayBeFor(madeFor))
            return new AssignResult.OtherRequest();
        if (stored.MadeFor is not null && stored.Attempt < madeFor?.Attempt)
            await change.SetAttemptAsync(deliveryId, madeFor.Attempt);
        return new AssignResult.Replayed(stored.Assignment);
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
