using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler.Fleet;

internal static class FleetApi
{
    public static void MapFleet(this IEndpointRouteBuilder app) => app.MapApi("/api/drones").WithTags("Drones").MapGet("/", List);

    private static async Task<Ok<IEnumerable<DroneDetails>>> List(
        FleetStore fleet, TimeProvider time, CancellationToken cancellationToken) =>
        TypedResults.Ok(await fleet.GetDetailsAsync(time.GetUtcNow(), cancellationToken));
}
