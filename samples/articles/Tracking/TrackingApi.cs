using DroneDelivery.ServiceDefaults;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Tracking;

/// <summary>The routes of Tracking.</summary>
internal static class TrackingApi
{
    public static void MapTracking(this IEndpointRouteBuilder app)
    {
        var track = app.MapApi("/track").WithTags("Tracking").ProducesValidationProblem();

        track
            .MapGet("/{table}", TrackHit.HandleAsync)
            .WithName("TrackHit")
            .WithSummary("Answers the pixel once the writer has taken the hit.")
            .ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        track
            .MapGet("/counters", (HitCounters counters) => TypedResults.Ok(counters.Read()))
            .WithName("ShowCounters")
            .WithSummary("Counts what became of the hits that this process has answered.");
    }
}
