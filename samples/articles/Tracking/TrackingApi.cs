using DroneDelivery.ServiceDefaults;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Tracking;

internal static class TrackingApi
{
    public static void MapTracking(this IEndpointRouteBuilder app)
    {
        var track = app.MapApi("/track").WithTags("Tracking").ProducesValidationProblem();

        track
            .MapGet("/{table}", TrackHit.HandleAsync)
            .WithName("TrackHit")
            .WithSummary("Returns the pixel when the writer has accepted the hit.")
            .ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        track
            .MapGet("/counters", (HitCounters counters) => TypedResults.Ok(counters.Read()))
            .WithName("ShowCounters")
            .WithSummary("Returns the numbers of acknowledged, stored, lost, and waiting hits of this process.");
    }
}
