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
    /// other content; PATCH changes it. 422: no drone can carry it that far, now or later.
    /// </summary>
    public static async Task<Results<Created<DroneAssignment>, Ok<DroneAssignment>, ProblemHttpResult>> HandleAsync(
        [Id] string id, DroneRequest request, AssignDrone drones, CancellationToken cancellationToken) =>
        await drones.AssignAsync(id, request, cancellationToken) switch
        {
            AssignResult.Created(var assignment) => TypedResults.Created($"{DronesApi.Prefix}/{id}", assignment),
            AssignResult.Replayed(var assignment) => TypedResults.Ok(assignment),
            AssignResult.OtherRequest => FlightProblem.OtherRequest(id),
            AssignResult.NoSuitableDrone => FlightProblem.NoSuitableDrone(id),
            var result => throw new UnreachableException($"No answer says {result}."),
        };

    private async Task<AssignResult> AssignAsync(string deliveryId, DroneRequest request, CancellationToken cancellationToken)
    {
        var fingerprint = Requests.Of(request);
        var drones = await fleet.GetAsync(cancellationToken);
        return await assignments.ChangeAsync<AssignResult>(async change =>
        {
            if (await change.FindAsync(deliveryId) is { } stored)
                return stored.Request == fingerprint ? new AssignResult.Replayed(stored.Assignment) : new AssignResult.OtherRequest();
            if (await DroneChoice.FindAsync(drones, change.FreeTimes, request, change.Now) is not { } choice)
                return new AssignResult.NoSuitableDrone();

            var assignment = AssignmentOf(deliveryId, request, choice);
            await change.FreeTimes.ReserveAsync(choice.Free, BusyTime.Of(choice.Plan));
            await change.AddAsync(assignment, fingerprint);
            return new AssignResult.Created(assignment);
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
