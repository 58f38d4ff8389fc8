using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

internal static class DroneDeliveryApi
{
    private const string Prefix = "/api/dronedeliveries";

    public static void MapDroneDeliveries(this IEndpointRouteBuilder app)
    {
        var deliveries = app.MapApi(Prefix).WithTags("Drone deliveries");
        deliveries.MapPut("/{id}", Assign)
            .ProducesProblem(StatusCodes.Status409Conflict)
            .ProducesProblem(StatusCodes.Status422UnprocessableEntity);
        deliveries.MapGet("/{id}", Get);
        deliveries.MapPatch("/{id}", Reschedule)
            .ProducesProblem(StatusCodes.Status409Conflict)
            .ProducesProblem(StatusCodes.Status422UnprocessableEntity);
        deliveries.MapDelete("/{id}", Cancel);
        deliveries.MapGet("/utilization", GetUtilization);
    }

    /// <summary>
    /// 201 with the drone, 200 with the same drone for a replay. 409: the delivery was asked for with other content; PATCH changes it.
    /// 422: no drone can carry it that far, now or later.
    /// </summary>
    private static async Task<Results<Created<DroneAssignment>, Ok<DroneAssignment>, ProblemHttpResult>> Assign(
        [Id] string id, DroneRequest request, AssignDrone drones, CancellationToken cancellationToken)
    {
        var (outcome, assignment) = await drones.AssignAsync(id, request, cancellationToken);
        return outcome switch
        {
            AssignmentOutcome.Created => TypedResults.Created($"{Prefix}/{id}", assignment),
            AssignmentOutcome.Unchanged => TypedResults.Ok(assignment),
            AssignmentOutcome.OtherRequest => Problem(
                StatusCodes.Status409Conflict,
                "urn:drone-delivery:other-request",
                $"Delivery '{id}' has been assigned for another request; PATCH changes it."),
            _ => NoSuitableDrone(id),
        };
    }

    private static async Task<Results<Ok<DroneAssignment>, NotFound>> Get(
        [Id] string id, AssignmentStore assignments, CancellationToken cancellationToken) =>
        await assignments.FindAsync(id, cancellationToken) is { Assignment: var assignment }
            ? TypedResults.Ok(assignment)
            : TypedResults.NotFound();

    /// <summary>
    /// 200 with the new flight. 400 names what moves the pickup of a package that is on board. 409: cancelled, or its drone has been at the
    /// drop-off. 422: no drone can fly that, or the one in the air would miss its next flight.
    /// </summary>
    private static async Task<Results<Ok<DroneAssignment>, NotFound, ValidationProblem, ProblemHttpResult>> Reschedule(
        [Id] string id, DroneReschedule reschedule, RescheduleDrone drones, CancellationToken cancellationToken)
    {
        var (outcome, assignment) = await drones.RescheduleAsync(id, reschedule, cancellationToken);
        return outcome switch
        {
            AssignmentOutcome.Unknown => TypedResults.NotFound(),
            AssignmentOutcome.Changed or AssignmentOutcome.Unchanged => TypedResults.Ok(assignment),
            AssignmentOutcome.PickedUp => TypedResults.ValidationProblem(PickedUp(reschedule)),
            AssignmentOutcome.Cancelled => Problem(
                StatusCodes.Status409Conflict, "urn:drone-delivery:cancelled", $"Delivery '{id}' is cancelled."),
            AssignmentOutcome.Flown => Problem(
                StatusCodes.Status409Conflict, "urn:drone-delivery:flown", $"The drone of delivery '{id}' has been at the drop-off."),
            AssignmentOutcome.NoTime => Problem(
                StatusCodes.Status422UnprocessableEntity,
                "urn:drone-delivery:drone-needed",
                $"The drone of delivery '{id}' is in the air and would not be back in time for its next flight."),
            _ => NoSuitableDrone(id),
        };
    }

    /// <summary>204, again for a replay.</summary>
    private static async Task<Results<NoContent, NotFound>> Cancel(
        [Id] string id, ReleaseDrone drones, CancellationToken cancellationToken) =>
        await drones.CancelAsync(id, cancellationToken) == AssignmentOutcome.Unknown ? TypedResults.NotFound() : TypedResults.NoContent();

    private static async Task<Ok<DroneUtilization>> GetUtilization(
        [Id] string ownerId,
        [Range(2000, 9998)] int year,
        [Range(1, 12)] int month,
        AssignmentStore assignments,
        CancellationToken cancellationToken) =>
        TypedResults.Ok(await assignments.GetUtilizationAsync(ownerId, year, month, cancellationToken));

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

    private static ProblemHttpResult NoSuitableDrone(string id) => Problem(
        StatusCodes.Status422UnprocessableEntity,
        "urn:drone-delivery:no-suitable-drone",
        $"No drone can carry the package of delivery '{id}' over this distance, or none that can has a free hour left; "
            + "GET /api/drones lists capacities and ranges.");

    private static ProblemHttpResult Problem(int status, string type, string detail) =>
        TypedResults.Problem(detail, statusCode: status, type: type);
}
