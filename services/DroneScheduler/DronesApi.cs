using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

internal static class DronesApi
{
    public const string Prefix = "/api/dronedeliveries";

    public static void MapDroneDeliveries(this IEndpointRouteBuilder app)
    {
        var deliveries = app.MapApi(Prefix).WithTags("Drone deliveries").ProducesValidationProblem();

        deliveries
            .MapPut("/{id}", AssignDrone.HandleAsync)
            .WithName("AssignDrone")
            .WithSummary("Assigns a drone and a flight plan to a delivery.")
            .ProducesProblem(StatusCodes.Status409Conflict)
            .ProducesProblem(StatusCodes.Status422UnprocessableEntity);
        deliveries
            .MapGet("/{id}", Get)
            .WithName("GetAssignment")
            .WithSummary("Returns the drone and the flight plan of a delivery.");
        deliveries
            .MapPatch("/{id}", RescheduleDrone.HandleAsync)
            .WithName("RescheduleDrone")
            .WithSummary("Reschedules the flight of a delivery.")
            .ProducesProblem(StatusCodes.Status409Conflict)
            .ProducesProblem(StatusCodes.Status422UnprocessableEntity);
        deliveries
            .MapDelete("/{id}", ReleaseDrone.HandleAsync)
            .WithName("ReleaseDrone")
            .WithSummary("Cancels the flight of a delivery and frees its drone.");
        deliveries
            .MapDelete("/{id}/requests/{request}", UndoDrone.HandleAsync)
            .WithName("UndoDrone")
            .WithSummary("Compensates the effects of a failed request on a flight.");
        deliveries
            .MapGet("/utilization", GetUtilization)
            .WithName("GetUtilization")
            .WithSummary("Returns the total distance and flight time of an owner's deliveries in a month.");
    }

    public static void MapDrones(this IEndpointRouteBuilder app)
    {
        var drones = app.MapApi("/api/drones").WithTags("Drones");

        drones
            .MapGet("", List)
            .WithName("ListDrones")
            .WithSummary("Lists the drones with their numbers of remaining deliveries.");
    }

    private static async Task<Results<Ok<DroneAssignment>, NotFound>> Get(
        [Id] string id,
        AssignmentStore assignments,
        CancellationToken cancellationToken
    ) =>
        await assignments.FindAsync(id, cancellationToken) is { Assignment: var assignment }
            ? TypedResults.Ok(assignment)
            : TypedResults.NotFound();

    private static async Task<Ok<DroneUtilization>> GetUtilization(
        [Id] string ownerId,
        [Range(2000, 9998)] int year,
        [Range(1, 12)] int month,
        AssignmentStore assignments,
        CancellationToken cancellationToken
    ) => TypedResults.Ok(await assignments.GetUtilizationAsync(ownerId, year, month, cancellationToken));

    private static async Task<Ok<IEnumerable<DroneDetails>>> List(
        FleetStore fleet,
        TimeProvider time,
        CancellationToken cancellationToken
    ) => TypedResults.Ok(await fleet.GetDetailsAsync(time.GetUtcNow(), cancellationToken));
}
